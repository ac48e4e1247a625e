"""What breaks a program: failing disks, random histories, logs that no agent wrote, and faults in its own code."""
