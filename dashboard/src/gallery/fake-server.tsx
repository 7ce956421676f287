import { Button } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { DriplineError } from '../api/client.ts'

/** Errors that a request can get. */
export const ERRORS = {
  field: new DriplineError('name is already taken.', { status: 409, code: 'name_taken', param: '/name' }),
  request: new DriplineError('The monthly limit is reached.', {
    status: 409,
    code: 'quota_reached',
    requestId: 'req_1',
  }),
  lost: new DriplineError('fetch failed', { code: 'network_error' }),
}

interface Pending {
  resolve: (value: undefined) => void
  reject: (error: Error) => void
}

interface FakeServer {
  /** Waits until a button of the controls answers. */
  send: (request: unknown) => Promise<undefined>
  /** The requests so far, and buttons that answer the oldest one without an answer. */
  controls: ReactNode
}

/** A server whose responses are chosen with buttons. */
export function useFakeServer(): FakeServer {
  const [requests, setRequests] = useState<readonly string[]>([])
  const pending = useRef<Pending[]>([])
  const reject = (error: Error) => pending.current.shift()?.reject(error)
  return {
    send(request) {
      setRequests((before) => [...before, JSON.stringify(request)])
      const { promise, resolve, reject } = Promise.withResolvers<undefined>()
      pending.current.push({ resolve, reject })
      return promise
    },
    controls: (
      <div className="row small" style={{ marginTop: 12, flexWrap: 'wrap' }}>
        <Button onClick={() => pending.current.shift()?.resolve(undefined)}>Succeed</Button>
        <Button onClick={() => reject(ERRORS.field)}>Reject the name</Button>
        <Button onClick={() => reject(ERRORS.request)}>Reject</Button>
        <Button onClick={() => reject(ERRORS.lost)}>Lose the response</Button>
        <output className="mono" aria-label="Requests" style={{ whiteSpace: 'pre' }}>
          {requests.join('\n')}
        </output>
      </div>
    ),
  }
}
