import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { recount } from '../support/stats.ts'
import type { Service } from '../support/service.ts'

/** Creates sender, templates, suppressions and imports of a workspace. @returns the ID of a template of blocks */
export async function createEmailData(service: Service, workspaceId: string): Promise<string> {
  const { em } = service.context.orm
  await sql(
    em.fork(),
    `insert into senders (workspace_id, from_name, from_address, reply_to, postal_address, track_opens, track_clicks, updated_at)
     values ($1::uuid, 'Orchard', 'hello@orchard.example', 'support@orchard.example', $2, true, true, now())`,
    [workspaceId, 'Orchard Ltd\n1 Main Street, Springfield'],
  )
  const { data: people } = (await service.call('GET', 'contacts?limit=6')).body as { data: { email: string }[] }
  for (const [n, reason] of (['UNSUBSCRIBED', 'UNSUBSCRIBED', 'BOUNCED', 'MANUAL', 'COMPLAINED'] as const).entries()) {
    const note = reason === 'MANUAL' ? 'Asked by phone' : null
    await service.call('POST', 'suppressions', { email: people[n]!.email, reason, note })
  }
  for (const [name, text] of [
    ['customers.csv', 'email,first name\nmia@example.org,Mia\nno address,Leo\n'],
    ['listmonk.csv', 'email,first name\nnoa@example.org,Noa\n'],
  ] as const) {
    await service.call('POST', 'imports', { name, text, consent: 'SUBSCRIBED', start: true })
  }
  await service.call('POST', 'imports', {
    name: 'orchard-crm.csv',
    text: 'email,Plan,Newsletter\nlou@example.org,pro,yes\nkim@example.org,free,no\n',
  })
  const html = '<html><body>{{ content }}</body></html>'
  await service.call('POST', 'templates', { name: 'Orchard', kind: 'LAYOUT', html })
  const images = await uploadImages(service)
  const made = await service.call('POST', 'templates', harvestWith(images[0]!))
  return made.body.data.id as string
}

/** A drawing of 1,200 × 520 pixels: hills in one color under a sky in another. */
const drawing = (hills: string, sky: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="520"><rect width="1200" height="520" fill="${sky}"/>` +
  `<circle cx="900" cy="150" r="70" fill="#f3d27a"/><path d="M0 360q300-180 600-40t600-60v260H0z" fill="${hills}"/>` +
  `<path d="M0 430q400-120 700 0t500-20v110H0z" fill="${hills}" opacity=".7"/></svg>`

/** Uploads images. @returns their URLs */
async function uploadImages(service: Service): Promise<string[]> {
  const urls: string[] = []
  for (const [name, hills, sky, alt] of [
    ['harvest.png', '#2f6b45', '#dfe9df', 'Green hills under a pale sun'],
    ['autumn.png', '#b5672b', '#f6e6d2', 'Hills in autumn colors'],
    ['winter.png', '#7d97a8', '#eef3f6', null],
    ['evening.png', '#4b3a63', '#f0c9a8', 'Hills in the evening'],
    ['logo.png', '#2f6b45', '#ffffff', ''],
  ] as const) {
    const content = Buffer.from(drawing(hills, sky)).toString('base64')
    const { body } = await service.call('POST', 'media-files', { name, alt, content })
    urls.push((body.data as { url: string }).url)
  }
  return urls
}

const words = (text: string, more: object = {}) => ({ style: 'PARAGRAPH', runs: [{ text, ...more }] })

const harvestWith = (image: string) => ({
  name: 'Harvest',
  format: 'BLOCKS',
  subject: 'The harvest is in, {{ contact.firstName | default: "friend" }}',
  previewText: 'Boskoop, Cox Orange and the first quinces',
  design: {
    theme: { accent: '#2f6b45', page: '#f2f5f1' },
    blocks: [
      {
        type: 'TEXT',
        paragraphs: [
          { style: 'HEADING', runs: [{ text: 'The harvest is in' }] },
          words('Three weeks of picking are over. This is what there is, and until when it keeps:'),
          { style: 'BULLET', runs: [{ text: 'Boskoop', bold: true }, { text: ', until April' }] },
          { style: 'BULLET', runs: [{ text: 'Cox Orange', bold: true }, { text: ', until Christmas' }] },
        ],
      },
      { type: 'IMAGE', url: image, alt: 'Green hills under a pale sun' },
      { type: 'BUTTON', label: 'Order a box', url: 'https://orchard.example/box' },
      { type: 'DIVIDER' },
      {
        type: 'COLUMNS',
        columns: [
          { blocks: [{ type: 'TEXT', paragraphs: [words('A press for the village, on Saturdays from ten.')] }] },
          { blocks: [{ type: 'TEXT', paragraphs: [words('Bring bottles; we bring the music.')] }] },
        ],
      },
    ],
  },
})

const NEWS = `<body style="margin:0;padding:24px;font-family:Georgia,serif;font-size:16px;line-height:24px;color:#1d2a22;background:#f4f1ea">
<h1 style="font-size:26px;line-height:32px">News from the orchard</h1>
<p>Hello {{ contact.firstName | default: "friend" }}, the first quinces are ripe, and the press is running again.</p>
<p><a href="https://orchard.example/news" style="display:inline-block;padding:12px 20px;background:#2f6b45;color:#fff;text-decoration:none">See what is ripe</a></p>
<p>New this autumn: <a href="https://orchard.example/box">a box of apples each month</a>, and
<a href="https://orchard.example/press">a press for the village</a>.</p>
<p>All dates are in the <a href="https://orchard.example/calendar">calendar</a>.</p></body>`

/** A number from 0 to 1 that depends on the message. */
const share = (of: string) => `(('x' || left(md5(message.id::text || '${of}'), 4))::bit(16)::integer / 65536.0)`

/** Gives a sent campaign opens, clicks and bounces of a day, and spreads what another one has sent over 24 minutes. */
async function giveResults({ context }: Service, { sent, waiting }: { sent: string; waiting: string }): Promise<void> {
  const em = context.orm.em.fork()
  await sql(
    em,
    `update campaigns set started_at = started_at - interval '30 hours', finished_at = started_at where id = $1::uuid`,
    [sent],
  )
  await sql(
    em,
    `update messages message set sent_at = sent_at - interval '30 hours',
       results = case when ${share('bounce')} < 0.012 then '{HARD_BOUNCED}'::text[] else '{}' end,
       opened_at = case when ${share('open')} < 0.42 then sent_at - interval '30 hours' - ln(1 - ${share('when')}) * interval '5 hours' end,
       clicked_at = case when ${share('open')} < 0.13 then sent_at - interval '29 hours' - ln(1 - ${share('when')}) * interval '5 hours' end
     where campaign_id = $1::uuid and sent_at is not null`,
    [sent],
  )
  await sql(
    em,
    `insert into message_visits (message_id, kind, url, links, at, visitor)
     select message.id, 'CLICK', 'https://orchard.example/' || link.path, 4, clicked_at, 'PERSON'
     from messages message cross join (values ('news', 0.7), ('box', 0.3), ('press', 0.15), ('calendar', 0.1)) link(path, part)
     where campaign_id = $1::uuid and clicked_at is not null
       and ('x' || left(md5(message.id::text || link.path), 4))::bit(16)::integer < 65536 * link.part`,
    [sent],
  )
  const domain = `case when ${share('domain')} < 0.45 then 'inbox' when ${share('domain')} < 0.75 then 'mail' else 'post' end`
  await sql(
    em,
    `update messages message set recipient = split_part(recipient, '@', 1) || '@' || ${domain} || '.example'
     where campaign_id = any($1::uuid[]) and sent_at is not null`,
    [[sent, waiting]],
  )
  await sql(em, `update campaigns set started_at = started_at - interval '25 minutes' where id = $1::uuid`, [waiting])
  await sql(
    em,
    `update messages message set sent_at = sent_at - ${share('minute')} * interval '24 minutes'
     where campaign_id = $1::uuid and sent_at is not null`,
    [waiting],
  )
}

/** Creates campaigns in each state. @param service with a running worker @returns the IDs of a sent one and of one that waits for its winner */
export async function createCampaigns(service: Service): Promise<{ campaignId: string; sendingId: string }> {
  const { data: lists } = (await service.call('GET', 'lists')).body as { data: { id: string }[] }
  const { data: segments } = (await service.call('GET', 'segments')).body as { data: { id: string }[] }
  const audience = { listIds: lists.slice(0, 2).map(({ id }) => id) }
  const html = NEWS
  const create = async (fields: object) =>
    ((await service.call('POST', 'campaigns', { html, audience, ...fields })).body.data as { id: string }).id
  const variants = [{ subject: 'Apples, and what else is ripe' }]
  const abTest = { variants, testPercent: 100, winnerBy: 'OPENED', afterMinutes: 240 }
  const sent = await create({ name: 'September news', subject: 'News from the orchard', abTest })
  await service.call('POST', `campaigns/${sent}/schedule`, {})
  const waiting = await create({
    ...{ name: 'Winter catalog', subject: 'The winter catalog is here' },
    abTest: { ...abTest, variants: [{ subject: '84 apples for the winter' }], testPercent: 20 },
  })
  await service.call('POST', `campaigns/${waiting}/schedule`, {})
  const segmentIds = segments.slice(1).map(({ id }) => id)
  const later = await create({ name: 'Harvest festival', subject: 'You are invited', audience: { segmentIds } })
  await service.call('POST', `campaigns/${later}/schedule`, { localTime: '2038-09-01T09:00' })
  const { data: files } = (await service.call('GET', 'media-files')).body as { data: { name: string; url: string }[] }
  const image = files.find(({ name }) => name === 'winter.png')?.url
  await create({
    ...{ name: 'Winter apples', subject: 'They keep until spring' },
    abTest: {
      variants: [{ subject: '{{ contact.firstName | default: "Friend" }}, they keep until spring' }],
      ...{ testPercent: 20, winnerBy: 'OPENED', afterMinutes: 240 },
    },
    ...(image !== undefined && { format: 'BLOCKS', html: null, design: harvestWith(image).design }),
  })
  await eventually(
    'the campaign is sent',
    async () => ((await service.call('GET', `campaigns/${sent}`)).body.data.status === 'SENT' ? true : undefined),
    120_000,
  )
  await giveResults(service, { sent, waiting })
  await recount(service.context.orm.em)
  return { campaignId: sent, sendingId: waiting }
}

/** Sends transactional emails: with a template, and with tags. @param service with a running worker */
export async function createTransactional(service: Service): Promise<void> {
  const template = { name: 'Receipt', kind: 'EMAIL', format: 'HTML', subject: 'Your receipt', html: '<p>Thanks.</p>' }
  const templateId = (await service.call('POST', 'templates', template)).body.data.id as string
  const login = { subject: 'Your sign-in code', text: 'The code is 123456.', tags: ['sign-in'] }
  const kinds = [{ templateId }, login, { ...login, subject: 'Reset your password', tags: ['password'] }]
  const emails = Array.from({ length: 60 }, (_, n) => ({ to: `reader.${n}@example.com`, ...kinds[n % 3] }))
  await service.call('POST', 'emails/batch', { emails })
  await eventually('the emails are sent', async () => {
    const { data } = (await service.call('GET', 'reports/transactional')).body as {
      data: { total: { waiting: number } }
    }
    return data.total.waiting === 0 || undefined
  })
}
