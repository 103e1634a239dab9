"""What is asked of a noise-reduction subject: values, schedules and neighbouring values."""
