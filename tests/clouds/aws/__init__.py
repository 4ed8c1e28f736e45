"""AWS on loopback: moto, and what it lacks of Auto Scaling, EC2, EFS and EKS."""
