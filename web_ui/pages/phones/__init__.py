"""What phones ask for beside the pages that they show."""
