import type { Socket } from 'node:net'

/** Calls `hear` with every line that arrives on a socket. */
export function onLine(socket: Socket, onText: (line: string) => void): void {
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onText(line)
  })
}
