"""Did it run? What a log shows of calls that nothing answers, and of those that something answered with a refusal."""
