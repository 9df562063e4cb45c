"""What the predictions themselves tell about their validity."""
