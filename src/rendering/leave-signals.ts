// Ctrl-C reaches all processes of a terminal. The parent finishes its work and then ends this process. In a file of its own,
// because it must be the first import of a renderer process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
