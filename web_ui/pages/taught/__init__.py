"""What the table is taught before its camera: dice, an ordinary deck, and how the camera looks at the tray."""
