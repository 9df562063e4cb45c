"""What flows: predictions, outcome, plan, estimate, source, and choices of options."""
