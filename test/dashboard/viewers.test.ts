import assert from 'node:assert/strict'
import { beginSession } from '../../src/accounts/sessions.ts'
import { onDashboard } from '../support/dashboard.ts'
import { aMember } from '../support/members.ts'

describe('forms for viewers in the dashboard', () => {
  const d = onDashboard()
  beforeEach(async () => {
    const { accountId } = await aMember(d.service, 'viewer')
    const value = await beginSession(d.service.context.orm.em.fork(), accountId, 'A test')
    await d.page.context().addCookies([{ name: 'dripline', value, url: `http://127.0.0.1:${d.service.port}` }])
  })

  for (const { path, sentence, fields } of [
    {
      path: '/sender',
      sentence: 'Only owners can change the sender.',
      fields: ['From name', 'From address', 'Reply-to', 'Postal address', 'Brand color'],
    },
    {
      path: '/workspace',
      sentence: 'Only owners can change the settings of the workspace.',
      fields: ['Name', 'Time zone'],
    },
    {
      path: '/retention',
      sentence: 'Only owners can change how long data is kept.',
      fields: ['Keep custom events for (days)', 'Keep the content of sent emails for (days)'],
    },
  ]) {
    it(`are read-only and name the role that can change them: ${path}`, async () => {
      await d.open(path)
      await d.shows(sentence)
      for (const name of fields) {
        const field = d.page
          .getByRole('textbox', { name, exact: true })
          .or(d.page.getByRole('combobox', { name, exact: true }))
        assert.equal(await field.isEditable(), false, name)
      }
      assert.equal(
        await d.page
          .getByRole('main')
          .getByRole('button', { name: /^(Save|Rename)/ })
          .count(),
        0,
      )
    })
  }
})
