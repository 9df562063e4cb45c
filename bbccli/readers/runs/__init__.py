"""Folders that a tool left behind -> tables: a record per tool, told by the files in the folder.

No tool is imported; what it says of itself comes as the metadata of its tables.
"""
