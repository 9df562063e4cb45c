"""The content of results, put together once per kind; a form writes its blocks."""
