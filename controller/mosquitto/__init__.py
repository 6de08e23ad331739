"""A parlour's mosquitto: its users and what each may hear and say, its certificates, its configuration."""
