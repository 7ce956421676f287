import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, EMAIL, enroll } from '../support/factories.ts'

const DAY = 24 * 60
const wait = (days: number) => ({ type: 'WAIT', delayMinutes: days * DAY })

describe('publishing in the builder', () => {
  const d = onDashboard()

  const enrollmentsOf = async (id: string) =>
    (await d.service.call('GET', `automations/${id}/enrollments`)).body.data as { version: number; status: string }[]

  /** Creates an automation with contacts who wait two days, and opens a draft in which they wait for another time. */
  async function withDraft(contacts: number, days = 3): Promise<string> {
    const id = await anAutomation(d.service, { name: 'Reminder', steps: [wait(2), { ...EMAIL, subject: 'Reminder' }] })
    for (let n = 0; n < contacts; n += 1) await enroll(d.service, id, await aContact(d.service))
    await d.open(`/automations/${id}`)
    await d.page.getByText('Wait 2 days').first().click()
    await d.page.getByRole('textbox', { name: 'Days' }).fill(String(days))
    await d.shows('Draft saved')
    return id
  }

  it('states what each choice does, and moves contacts', async () => {
    const id = await withDraft(3)
    await d.press('Publish…')
    await d.isAt('Publish version 2?')
    await d.shows('3 active contacts', 'Up to 3 remaining emails will not be sent.', /Counted at \d\d:\d\d:\d\d/)
    await d.page.getByRole('radio', { name: 'Move to version 2' }).check()
    await d.page.getByText('By step').click()
    await d.shows('Version 1, Wait 2 days', '3 get a new wait time')
    await d.press('Publish, move 3')
    await d.shows('Published. Contacts already in it are moving to version 2.')
    await eventually('all are moved', async () =>
      (await enrollmentsOf(id)).every(({ version }) => version === 2) ? true : undefined,
    )
  })

  it('warns that contacts can get an email at once', async () => {
    const id = await withDraft(2, 1)
    // As if they had waited for 36 hours.
    await sql(
      d.service.context.orm.em.fork(),
      `update enrollments set wakes_at = wakes_at - interval '36 hours' where automation_id = $1::uuid`,
      [id],
    )
    await d.press('Publish…')
    await d.shows('2 active contacts')
    const warning = '2 contacts continue at once: they can get their next email now.'
    assert.equal(await d.page.getByText(warning).count(), 0)
    await d.page.getByRole('radio', { name: 'Move to version 2' }).check()
    await d.shows(warning)
  })

  it('names a step as its version has it, and one of an older version by its type', async () => {
    const id = await withDraft(1)
    const { body } = await d.service.call('GET', `automations/${id}`)
    const [first, last] = body.data.steps as { id: string }[]
    await d.service.call('POST', `automations/${id}/publish`, { steps: [{ ...wait(5), id: first!.id }, last] })
    await enroll(d.service, id, await aContact(d.service))
    await d.press('Keep draft', 'Publish…')
    await d.page.getByText('By step').click()
    await d.shows('Version 1, Wait', 'Version 2, Wait 5 days')
  })

  it('keeps contacts by default', async () => {
    const id = await withDraft(1)
    await d.press('Publish…', 'Publish, keep 1')
    await d.shows('Published. Contacts already in it stay on their version.')
    assert.deepEqual(
      (await enrollmentsOf(id)).map(({ version, status }) => [version, status]),
      [[1, 'ACTIVE']],
    )
  })

  it('ends contacts with the keyboard alone', async () => {
    const id = await withDraft(2)
    await d.page.getByRole('button', { name: 'Publish…' }).focus()
    await d.page.keyboard.press('Enter')
    await d.isAt('Publish version 2?')
    await d.shows('2 active contacts')
    await d.page.getByRole('radio', { name: 'Keep their version (default)' }).focus()
    await d.page.keyboard.press('ArrowDown')
    await d.page.keyboard.press('ArrowDown')
    await d.page.getByRole('button', { name: 'Publish, end 2' }).focus()
    await d.page.keyboard.press('Enter')
    await d.shows('Published. The enrollments of contacts already in it are ending.')
    await eventually('all are ended', async () =>
      (await enrollmentsOf(id)).every(({ status }) => status === 'CANCELLED') ? true : undefined,
    )
  })

  it('shows the progress of a move, stops and resumes it', async () => {
    const id = await withDraft(2)
    await d.service.call('POST', `automations/${id}/publish`, { steps: [{ ...EMAIL, subject: 'Other' }] })
    // As if a worker had moved two of four contacts.
    await sql(
      d.service.context.orm.em.fork(),
      `insert into automation_moves (automation_id, workspace_id, version, inside, removed_steps, total, started_by)
       select id, workspace_id, 2, 'MOVE', 'CONTINUE', 4, 'Test' from automations where id = $1::uuid`,
      [id],
    )
    await d.open(`/automations/${id}`)
    await d.shows('Moving contacts to version 2', '2 of 4 contacts done.')
    await d.press('Stop')
    await d.shows('Moving contacts to version 2: stopped', '2 contacts are still in older versions.')
    await d.press('Resume')
    await eventually('the move is finished', async () => {
      const { body } = await d.service.call('GET', `automations/${id}/move`)
      return (body.data as { status: string }).status === 'FINISHED' || undefined
    })
    await d.shows('No contact is left in an older version.')
    assert.equal(await d.page.locator(':focus').textContent(), 'Dismiss')
    await d.page.keyboard.press('Enter')
    await d.page.getByText('No contact is left in an older version.').waitFor({ state: 'detached' })
    assert.equal(await d.page.locator(':focus').getAttribute('aria-label'), 'More actions')
    const read = d.page.waitForResponse((response) => response.url().endsWith('/move'))
    await d.page.reload()
    await read
    await d.shows('Wait 3 days')
    assert.equal(await d.page.getByText('No contact is left in an older version.').count(), 0)
  })

  it('asks which version to keep if someone else publishes while the dialog is open', async () => {
    const id = await withDraft(1)
    await d.press('Publish…')
    await d.isAt('Publish version 2?')
    // The page would see the other version, and close the dialog.
    const release = await d.hold('GET', '**/stats')
    await d.service.call('POST', `automations/${id}/publish`, { steps: [{ ...EMAIL, subject: 'Theirs' }] })
    await d.press('Publish, keep 1')
    release()
    await d.shows('Not published', /choose which version to keep/, 'This draft is out of date')
    await d.press('Publish…')
    await d.shows('The automation changed since this draft was created. Choose a version above.')
    assert.equal((await d.service.call('GET', `automations/${id}`)).body.data.version, 2)
  })
})
