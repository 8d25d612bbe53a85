"""`kumihimo doctor --hosts`: can a program run on several machines?"""
