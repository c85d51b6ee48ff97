"""A house under random network and process failures; at the end nothing may be lost, duplicated or invented."""
