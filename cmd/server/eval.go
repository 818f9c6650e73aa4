package main

type evalCmd struct{}

func (evalCmd) Run() error { return nil }
