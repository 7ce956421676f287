import assert from 'node:assert/strict'
import { ERROR_SENTENCES } from '../../dashboard/src/lib/error-words.ts'
import { document } from '../../src/runtime/operations.ts'

describe('sentences for errors of the API in the dashboard', () => {
  it('are of documented codes', () => {
    const documented = JSON.stringify(document)
    for (const code of Object.keys(ERROR_SENTENCES)) assert.ok(documented.includes(`"${code}"`), code)
  })

  it('name no fields, values or requests of the API', () => {
    for (const sentence of Object.values(ERROR_SENTENCES))
      assert.doesNotMatch(sentence.replaceAll('DKIM', ''), /\b[a-z]+[A-Z]|[A-Z]{3}|"|\/\w/, sentence)
  })
})
