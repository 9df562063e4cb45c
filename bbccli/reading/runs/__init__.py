"""Folders of tools -> tables: a record per tool, recognised by the files in the folder.

No tool is imported; what it reports about itself becomes metadata of its tables.
"""
