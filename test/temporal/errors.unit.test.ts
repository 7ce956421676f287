import assert from 'node:assert/strict'
import { isTemporalUnavailable } from '../../src/temporal/errors.ts'

/** A gRPC error as the SDK's connection throws it: with a code, details and metadata. */
const grpcError = (code: number) => Object.assign(new Error(`${code}: x`), { code, details: 'x', metadata: {} })

describe('an error of Temporal', () => {
  for (const [name, code, notNow] of [
    ['CANCELLED', 1, true],
    ['INVALID_ARGUMENT', 3, false],
    ['DEADLINE_EXCEEDED', 4, true],
    ['NOT_FOUND', 5, false],
    ['RESOURCE_EXHAUSTED', 8, true],
    ['ABORTED', 10, true],
    ['INTERNAL', 13, false],
    ['UNAVAILABLE', 14, true],
  ] as const) {
    it(`${name} ${notNow ? 'is' : 'is not'} temporary`, () => {
      assert.equal(isTemporalUnavailable(new Error('wrapped', { cause: grpcError(code) })), notNow)
    })
  }
})
