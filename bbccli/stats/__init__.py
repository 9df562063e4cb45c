"""Selection, resampling and intervals: what methods are made of."""
