import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Folder } from '../../../packages/cli/src/plan/folder.ts'
import { referToSecrets } from '../../../packages/cli/src/plan/secrets.ts'

describe('the secrets of a pulled file', () => {
  const step = (id: string, headers: object) => ({ id, type: 'WEBHOOK', headers })

  it('are variables of the file, and of the step if several have the same header', () => {
    const crm = step('01981e61-0000-7000-8000-0000000000aa', { Authorization: 'Bearer 1', 'X-Functions-Key': 'k' })
    const billing = step('01981e61-0000-7000-8000-0000000000bb', { authorization: 'Bearer 2', 'Idempotency-Key': '7' })
    assert.deepEqual(referToSecrets(crm, 'automations/2-hook', [crm]), {
      Authorization: '${env:_2_HOOK_AUTHORIZATION}',
      'X-Functions-Key': '${env:_2_HOOK_X_FUNCTIONS_KEY}',
    })
    const all = [crm, billing]
    assert.equal(referToSecrets(crm, 'automations/hook', all)['Authorization'], '${env:HOOK_0000AA_AUTHORIZATION}')
    assert.deepEqual(referToSecrets(billing, 'automations/hook', all), {
      authorization: '${env:HOOK_0000BB_AUTHORIZATION}',
      'Idempotency-Key': '7',
    })
  })

  it('keep the references that the file has', () => {
    const crm = step('01981e61-0000-7000-8000-0000000000aa', { Authorization: 'Bearer 1', 'X-Api-Key': 'k' })
    const present = new Map([[crm.id, { authorization: 'Bearer ${env:CRM_TOKEN}', 'X-Api-Key': 'pasted' }]])
    assert.deepEqual(referToSecrets(crm, 'automations/hook', [crm], present), {
      Authorization: 'Bearer ${env:CRM_TOKEN}',
      'X-Api-Key': '${env:HOOK_X_API_KEY}',
    })
  })
})

describe('the folder of a workspace', () => {
  it('writes nothing outside, not even through a link', () => {
    const root = mkdtempSync(join(tmpdir(), 'dripline-folder-'))
    try {
      mkdirSync(join(root, 'inside'))
      mkdirSync(join(root, 'outside'))
      writeFileSync(join(root, 'outside/victim.html'), 'before')
      symlinkSync(join(root, 'outside'), join(root, 'inside/lists'))
      const folder = new Folder(join(root, 'inside'))
      for (const path of ['../outside/victim.html', 'lists/victim.html', 'lists/new.yaml'])
        assert.throws(() => folder.write(path, 'after'), /is outside of the folder/)
      folder.write('segments/new.yaml', 'name: New')
      assert.equal(readFileSync(join(root, 'outside/victim.html'), 'utf8'), 'before')
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })
})
