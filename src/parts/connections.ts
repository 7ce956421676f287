import type { Socket } from 'node:net'
import { isWithin, networkOf } from '../platform/address-ranges.ts'
import { createPlaces } from '../platform/places.ts'

/** Lets nobody take all connections of one network's share: whoever opens more than so many is cut off. */
export function limitByNetwork(most: number, trustedProxies: readonly string[]): (socket: Socket) => void {
  const places = createPlaces(most)
  return (socket) => {
    const address = socket.remoteAddress ?? ''
    if (isWithin(address, trustedProxies)) return
    const network = networkOf(address)
    if (places.take(network, 1) === 1) socket.once('close', () => places.giveBack(network, 1))
    else socket.destroy()
  }
}
