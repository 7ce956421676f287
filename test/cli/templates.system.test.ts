import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startInstance, type Instance } from '../support/instance.ts'
import { type Answer } from '../support/service.ts'
import { runCli } from './cli.ts'

const DESIGN = { blocks: [{ type: 'TEXT', paragraphs: [{ style: 'HEADING', runs: [{ text: 'Hello' }] }] }] }

interface Outcome {
  file: string
  status: string
  message?: string
}

describe('templates pull and push', () => {
  let service: Instance
  let folder: string
  let key: string
  before(async () => void (service = await startInstance({ worker: false })))
  after(() => service.stop())
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dripline-templates-'))
    // Each test has its own workspace.
    key = await service.newKey()
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const api = async (method: string, path: string, body?: object): Promise<Answer['body']> => {
    const answer = await service.call(method, path, body, { key })
    assert.equal(answer.refused, undefined)
    return answer.body.data
  }
  const sync = async (direction: 'pull' | 'push', ...flags: string[]) => {
    const env = { DRIPLINE_URL: `http://127.0.0.1:${service.port}`, DRIPLINE_API_KEY: key }
    const { code, stdout, stderr } = await runCli(['templates', direction, folder, '--json', ...flags], { env })
    assert.equal(stderr, '')
    const outcomes = JSON.parse(stdout) as Outcome[]
    return { code, outcomes, statuses: Object.fromEntries(outcomes.map(({ file, status }) => [file, status])) }
  }
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  const files = () => readdirSync(folder).filter((file) => !file.startsWith('.'))

  it('writes one file per template, and changes nothing the second time', async () => {
    const layout = await api('POST', 'templates', { name: 'Base', kind: 'LAYOUT', html: '<main>{{ content }}</main>' })
    await api('POST', 'templates', {
      name: 'Receipt',
      subject: 'Thanks, {{ contact.firstName }}!',
      previewText: '"Quoted"',
      html: '<p>Thanks</p>\n---\n<p>Bye</p>',
      text: 'Thanks\nBye',
      layoutId: layout.id,
      translations: [{ locale: 'de', subject: 'Dank' }],
    })
    await api('POST', 'templates', {
      name: 'Mjml',
      format: 'MJML',
      subject: 'Hi',
      html: '<mjml><mj-body></mj-body></mjml>',
    })
    await api('POST', 'templates', { name: 'mjml?', subject: '2027', text: 'Only text' })
    await api('POST', 'templates', { name: 'Blocks', format: 'BLOCKS', subject: 'Hi', design: DESIGN })
    assert.deepEqual(new Set(Object.values((await sync('pull')).statuses)), new Set(['created']))
    assert.deepEqual(files(), ['base.html', 'blocks.json', 'mjml-2.mjml', 'mjml.txt', 'receipt.html'])
    assert.equal(
      read('receipt.html'),
      [
        '---',
        'name: Receipt',
        'subject: Thanks, {{ contact.firstName }}!',
        String.raw`previewText: "\"Quoted\""`,
        'layout: Base',
        String.raw`text: "Thanks\nBye"`,
        'translations: [{"locale":"de","subject":"Dank"}]',
        '---',
        '<p>Thanks</p>',
        '---',
        '<p>Bye</p>',
      ].join('\n'),
    )
    for (const direction of ['pull', 'push'] as const)
      assert.deepEqual(new Set(Object.values((await sync(direction)).statuses)), new Set(['unchanged']))
  })

  it('updates only changed templates, and creates new ones with their layout', async () => {
    const { id } = await api('POST', 'templates', { name: 'Receipt', subject: 'Thanks', html: '<p>Thanks</p>' })
    const other = await api('POST', 'templates', { name: 'Other', subject: 'Other', text: 'Other' })
    await sync('pull')
    write('receipt.html', read('receipt.html').replace('<p>Thanks</p>', '<p>Thank you</p>').replaceAll('\n', '\r\n'))
    write('a-welcome.html', '---\nname: Welcome\nsubject: Hi\nlayout: Base\n---\nHi')
    write('z-base.html', '---\nname: Base\nkind: LAYOUT\n---\n{{ content }}')
    const expected = {
      'receipt.html': 'updated',
      'other.txt': 'unchanged',
      'a-welcome.html': 'created',
      'z-base.html': 'created',
    }
    assert.deepEqual((await sync('push', '--dry-run')).statuses, expected)
    assert.equal((await api('GET', `templates/${id}`)).version, 1)
    assert.deepEqual((await sync('push')).statuses, expected)
    const receipt = await api('GET', `templates/${id}`)
    assert.deepEqual([receipt.version, receipt.html], [2, '<p>Thank you</p>'])
    assert.equal((await api('GET', `templates/${other.id}`)).version, 1)
    const templates = (await api('GET', 'templates')) as { name: string; id: string }[]
    const idOf = (name: string) => templates.find((one) => one.name === name)!.id
    assert.equal((await api('GET', `templates/${idOf('Welcome')}`)).layoutId, idOf('Base'))
    assert.deepEqual(new Set(Object.values((await sync('push')).statuses)), new Set(['unchanged']))
  })

  it('overwrites changes of others only with --force', async () => {
    const { id } = await api('POST', 'templates', { name: 'Receipt', subject: 'Thanks', html: 'v1' })
    await sync('pull')
    await api('PUT', `templates/${id}`, { name: 'Receipt', subject: 'Thanks', html: 'theirs' })
    const pulled = read('receipt.html')
    write('receipt.html', pulled.replace('v1', 'mine'))
    for (const direction of ['push', 'pull'] as const) {
      const { code, statuses } = await sync(direction)
      assert.deepEqual([code, statuses], [1, { 'receipt.html': 'conflict' }])
    }
    assert.deepEqual([(await api('GET', `templates/${id}`)).html, read('receipt.html').slice(-4)], ['theirs', 'mine'])
    assert.equal((await sync('push', '--force')).code, 0)
    assert.equal((await api('GET', `templates/${id}`)).html, 'mine')
    await api('PUT', `templates/${id}`, { name: 'Receipt', subject: 'Thanks', html: 'theirs' })
    write('receipt.html', pulled)
    assert.equal((await sync('pull', '--force')).code, 0)
    assert.equal(read('receipt.html').slice(-6), 'theirs')
    // A changed file is kept if the template is the same as before.
    write('receipt.html', pulled)
    assert.deepEqual((await sync('pull')).statuses, { 'receipt.html': 'kept' })
  })

  it('does not overwrite a template of the same name that was never pulled', async () => {
    const { id } = await api('POST', 'templates', { name: 'Receipt', subject: 'Thanks', html: 'theirs' })
    write('mine.html', '---\nname: Receipt\nsubject: Thanks\n---\nmine')
    assert.deepEqual((await sync('push')).statuses, { 'mine.html': 'conflict' })
    write('mine.html', '---\nname: Receipt\nsubject: Thanks\n---\ntheirs')
    assert.deepEqual((await sync('push')).statuses, { 'mine.html': 'unchanged' })
    write('mine.html', '---\nname: Receipt\nsubject: Thanks\n---\nmine')
    assert.deepEqual((await sync('push')).statuses, { 'mine.html': 'updated' })
    assert.equal((await api('GET', `templates/${id}`)).html, 'mine')
  })

  it('pushes the same files to another workspace', async () => {
    const layout = await api('POST', 'templates', { name: 'Base', kind: 'LAYOUT', html: '{{ content }}' })
    await api('POST', 'templates', { name: 'Receipt', subject: 'Thanks', html: 'Hi', layoutId: layout.id })
    await sync('pull')
    const first = key
    key = await service.newKey()
    assert.deepEqual((await sync('push')).statuses, { 'base.html': 'created', 'receipt.html': 'created' })
    key = first
    assert.deepEqual((await sync('push')).statuses, { 'base.html': 'unchanged', 'receipt.html': 'unchanged' })
  })

  it('follows renamed, converted and deleted templates', async () => {
    const { id } = await api('POST', 'templates', { name: 'Receipt', subject: 'Thanks', html: 'Hi' })
    const gone = await api('POST', 'templates', { name: 'Gone', subject: 'Gone', text: 'Gone' })
    await sync('pull')
    write('receipt.html', read('receipt.html').replace('Receipt', 'Invoice'))
    assert.deepEqual((await sync('push')).statuses, { 'receipt.html': 'updated', 'gone.txt': 'unchanged' })
    assert.equal((await api('GET', `templates/${id}`)).name, 'Invoice')
    await api('PUT', `templates/${id}`, {
      name: 'Bill',
      subject: 'Hi',
      format: 'MJML',
      html: '<mjml><mj-body></mj-body></mjml>',
    })
    await api('DELETE', `templates/${gone.id}`)
    assert.deepEqual((await sync('pull')).statuses, { 'receipt.mjml': 'updated', 'gone.txt': 'deleted' })
    assert.deepEqual(files(), ['gone.txt', 'receipt.mjml'])
  })

  it('reports each invalid file, and pushes the others', async () => {
    write('good.html', '---\nname: Good\nsubject: Hi\n---\nHi')
    write('no-matter.html', '<p>Hi</p>')
    write('no-name.html', '---\nsubject: Hi\n---\nHi')
    write('typo.html', '---\nname: Typo\ntopic: Hi\n---\nHi')
    write('no-layout.html', '---\nname: L\nsubject: Hi\nlayout: None\n---\nHi')
    write('liquid.html', '---\nname: Liquid\nsubject: Hi\n---\n{% if %}')
    write('blocks.json', '{"name": "Blocks"')
    const { code, outcomes } = await sync('push')
    const messages = Object.fromEntries(outcomes.map(({ file, status, message }) => [file, message ?? status]))
    assert.equal(code, 1)
    assert.equal(messages['good.html'], 'created')
    assert.match(messages['no-matter.html']!, /must begin with "---"/)
    assert.equal(messages['no-name.html'], '"name" is missing.')
    assert.match(messages['typo.html']!, /^"topic" is unknown/)
    assert.match(messages['no-layout.html']!, /^The layout "None" does not exist in the workspace/)
    assert.equal(outcomes.find(({ file }) => file === 'liquid.html')?.status, 'failed')
    assert.match(messages['blocks.json']!, /^The file is not valid JSON/)
  })
})
