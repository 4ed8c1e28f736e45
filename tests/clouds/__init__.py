"""Stacks and examples on the code that pulumi-aws and pulumi-gcp call: Terraform's own providers, behind Pulumi's bridge.

The clouds themselves are on loopback. `aws` is moto, with what it lacks of Auto Scaling, EFS and EKS; `gcp` answers by the rules of
Google's discovery documents. Both refuse what the real ones refuse, take time, and record every call.
"""
