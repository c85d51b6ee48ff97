"""The house's MQTT broker: a mosquitto of the floor's own, who may log in to it, and what each may say there."""
