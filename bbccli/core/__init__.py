"""Domain records and tools shared by all rooms."""
