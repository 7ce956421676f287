import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** So many pieces of bodies has a connection to spare, and gets as many again as it has requests and bytes, up to that. */
const PIECES = 512
const PIECES_A_REQUEST = 16
const BYTES_A_PIECE = 64

/** What the connections there are have to spare. */
const piecesLeft = new WeakMap<Socket, number>()

function spend(socket: Socket, pieces: number): void {
  const left = Math.min(PIECES, (piecesLeft.get(socket) ?? PIECES) - pieces)
  piecesLeft.set(socket, left)
  if (left < 0) socket.destroy()
}

/**
 * A request of a connection that sends no bodies in pieces of a byte each: each is an object of its own, and thousands of them
 * come in one packet, whether somebody reads them or not. Whoever does is cut off.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-7.1
 */
export class BoundedRequest extends IncomingMessage {
  constructor(socket: Socket) {
    super(socket)
    spend(socket, -PIECES_A_REQUEST)
  }

  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    spend(this.socket, 1 - (piece?.length ?? 0) / BYTES_A_PIECE)
    return super.push(piece, encoding)
  }

  /** Of what is left when its answer is out Node would drop each piece without a word to anybody. */
  _dump(): void {
    this.resume()
  }
}
