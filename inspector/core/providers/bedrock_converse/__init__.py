"""The schema of Bedrock Converse, and what it accepts."""
