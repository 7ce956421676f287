import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** So many bytes of a connection are parsed at a time: some tens of the shortest requests. */
const SLICE_BYTES = 2_048
/** The same where all of them are of one body, which has said how long it is. */
const SLICE_BYTES_OF_BODY = 16_384

/**
 * Has Node parse what came in small pieces, and stop when the connection has been cut off: of one of 64 KB it would make two
 * thousand requests first, each of which is kept until all of them are made.
 */
export function readInSlices(socket: Socket): void {
  const [parse] = socket.listeners('data') as ((chunk: Buffer) => void)[]
  if (!parse) return
  const sizeOf = sizeOfSlices(socket)
  socket.off('data', parse)
  socket.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length && !socket.destroyed;) {
      // Node waits until the client has read: the rest comes again after that.
      if (socket.isPaused()) return void socket.unshift(chunk.subarray(at))
      const size = sizeOf()
      parse.call(socket, chunk.subarray(at, at + size))
      at += size
    }
  })
}

/** Node keeps what it reads with the connection, and says so nowhere: where it does no more, slices are small. */
function sizeOfSlices(socket: Socket & { parser?: { incoming?: IncomingMessage | null } | null }): () => number {
  let of: IncomingMessage | undefined
  let seen = 0
  return () => {
    const incoming = socket.parser?.incoming
    if (!incoming || incoming.complete) return SLICE_BYTES
    // Some of it may have come with its head.
    if (incoming !== of) seen = SLICE_BYTES
    of = incoming
    const left = Number(incoming.headers['content-length'] ?? 0) - seen
    const size = left > SLICE_BYTES_OF_BODY ? SLICE_BYTES_OF_BODY : SLICE_BYTES
    seen += size
    return size
  }
}
