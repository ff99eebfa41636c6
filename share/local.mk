# share
