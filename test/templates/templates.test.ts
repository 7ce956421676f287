import assert from 'node:assert/strict'
import { createRenderer, type Renderer } from '../../src/rendering/index.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import type { Caller } from '../../src/http/caller.ts'
import type { Visitor } from '../../src/http/visitor.ts'
import { setPublicUrl } from '../../src/instance/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { recipientOf } from '../../src/templates/preview.ts'
import { prepareTemplate } from '../../src/templates/templates.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, activityOf, anAutomation, enroll } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace, PUBLIC_URL, useServiceAndSink } from '../support/shared-service.ts'

const MJML = (text: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`

interface Preview {
  html: string
  text: string
  bytes: number
  links: string[]
  warnings: { code: string }[]
}

describe('templates', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))

  let count = 0
  const write = (fields: object) => service.call('POST', 'templates', { name: `Template ${(count += 1)}`, ...fields })
  const create = async (fields: object): Promise<string> => {
    const { status, body } = await write(fields)
    assert.equal(status, 201, JSON.stringify(body))
    return body.data.id as string
  }
  const preview = async (id: string, body: object = {}) =>
    (await service.call('POST', `templates/${id}/preview`, body)).body.data as Preview
  /** The email that was sent to a contact. */
  const sentTo = async (contactId: string) =>
    eventually('the email is sent', async () =>
      (
        (await activityOf(service, contactId)) as unknown as {
          status: string
          html: string
          text: string
          subject: string
        }[]
      ).find(({ status }) => status === 'SENT'),
    )

  it('stops compiling a template with its dependents when the request times out', async () => {
    const layoutId = await create({ kind: 'LAYOUT', html: '{{ content }}' })
    for (let n = 0; n < 4; n += 1) await create({ layoutId, subject: 'S', html: '<p>x</p>' })
    const renderer = createRenderer()
    let compiled = 0
    const counting: Renderer = {
      ...renderer,
      compile(...given) {
        compiled += 1
        return renderer.compile(...given)
      },
    }
    const prepare = (mostMs?: number) =>
      prepareTemplate(
        service.context.orm.em.fork(),
        counting,
        service.workspaceId,
        { html: 'L {{ content }}' },
        { id: layoutId },
        mostMs,
      )
    assert.equal((await prepare()).dependents.length, 4)
    compiled = 0
    await assert.rejects(prepare(1), /takes more than 20 seconds/)
    assert.equal(compiled, 1)
    await renderer.close()
  })

  it('keeps immutable versions', async () => {
    const id = await create({ name: 'Welcome', subject: 'One', text: 'Hi' })
    const first = await service.call('GET', `templates/${id}`)
    assert.equal(first.headers.get('etag'), '"1"')
    const second = await service.call('PUT', `templates/${id}`, { name: 'Welcome!', subject: 'Two', text: 'Hi' })
    assert.deepEqual(
      [second.body.data.version, second.body.data.subject, second.body.data.name],
      [2, 'Two', 'Welcome!'],
    )
    assert.equal((await service.call('GET', `templates/${id}?version=1`)).body.data.subject, 'One')
    assert.equal((await service.call('GET', `templates/${id}?version=3`)).refused, '404 template_not_found')
    const { data, pagination } = (await service.call('GET', `templates/${id}/versions`)).body
    assert.deepEqual([data.map(({ version }: { version: number }) => version), pagination.total], [[2, 1], 2])
    const late = await service.call(
      'PUT',
      `templates/${id}`,
      { name: 'x', subject: 'x' },
      { headers: { 'if-match': '"1"' } },
    )
    assert.equal(late.refused, '412 revision_conflict')
    assert.equal((await service.call('DELETE', `templates/${id}`)).status, 200)
    assert.equal((await service.call('GET', `templates/${id}`)).refused, '404 template_not_found')
  })

  it('lists templates by kind, without their content', async () => {
    const partial = await create({ kind: 'PARTIAL', name: 'listed', html: 'x' })
    const { data } = (await service.call('GET', 'templates?kind=PARTIAL')).body
    assert.ok(data.some(({ id }: { id: string }) => id === partial))
    assert.ok(data.every((each: { kind: string; html?: string }) => each.kind === 'PARTIAL' && each.html === undefined))
  })

  it('compiles MJML to HTML with conditionals for Outlook, and to text', async () => {
    const html = MJML('Hello {{ contact.firstName }}')
    // Problems have the right line even with a preview text before the body.
    const open = html.replace('<mj-text>', '\n<mj-text>{% if contact.firstName %}')
    for (const previewText of [null, 'Tea'])
      assert.match(
        (
          await service.call('POST', 'templates', {
            name: 'Open',
            format: 'MJML',
            subject: 'Hi',
            html: open,
            previewText,
          })
        ).body.error as string,
        /line:2, col:10/,
      )
    const id = await create({ format: 'MJML', subject: 'Hi', html, previewText: 'Tea & {{ contact.firstName }} <3' })
    const seen = await preview(id)
    assert.match(seen.html, /<!--\[if mso \| IE\]>/)
    assert.match(seen.html, /Hello Ada/)
    assert.match(seen.html, /<body[^>]*><div style="display:none[^"]*">Tea &amp; Ada &lt;3/)
    assert.equal(seen.text, 'Hello Ada')
    assert.equal((await service.call('GET', `templates/${id}`)).body.data.html, html)
  })

  it('inlines the styles of HTML, and keeps its Liquid', async () => {
    const html =
      '<style>p { color: red } @media (max-width: 600px) { p { color: blue } }</style>' +
      '<p title="{{ contact.firstName | default: \'you\' }}">{% if contact.firstName > "A" %}A & B{% endif %}</p>'
    const { html: made } = await preview(await create({ subject: 'Hi', html }))
    assert.match(made, /<p title="Ada" style="color: red;?">A &(amp;)? B<\/p>/)
    assert.match(made, /@media/)
  })

  it('rejects a template whose partials are too long before loading them', async () => {
    const names = Array.from({ length: 9 }, (_, n) => `long-${n}`)
    for (const name of names) await create({ kind: 'PARTIAL', name, html: 'x'.repeat(480_000) })
    const html = names.map((name) => `{% render '${name}' %}`).join('')
    const { refused, body } = await write({ format: 'HTML', subject: 's', html })
    assert.equal(refused, '400 invalid_template')
    assert.match(body.error, /The partials have more than 4,000,000 characters in total/)
  })

  it('recompiles templates when their layout or a partial changes, unless that would break them', async () => {
    const foot = await create({ kind: 'PARTIAL', name: 'foot', html: '<footer>{{ contact.email }}</footer>' })
    const layout = await create({
      kind: 'LAYOUT',
      name: 'Frame',
      html: '<header>{{ contact.firstName }}</header>{{ content }}{% render "foot" %}',
    })
    const id = await create({ name: 'Framed', subject: 'Hi', html: '<p>Body</p>', layoutId: layout })
    assert.equal((await preview(id)).html, '<header>Ada</header><p>Body</p><footer>ada@example.com</footer>')

    await service.call('PUT', `templates/${foot}`, { name: 'foot', html: '<footer>New</footer>' })
    assert.equal((await preview(id)).html, '<header>Ada</header><p>Body</p><footer>New</footer>')
    assert.equal((await preview(id, { version: '1' })).html.includes('ada@example.com'), true)

    const broken = await service.call('PUT', `templates/${layout}`, { name: 'Frame', html: '{% if x %}{{ content }}' })
    assert.equal(broken.refused, '400 invalid_template')
    const twice = await service.call('PUT', `templates/${layout}`, { name: 'Frame', html: 'no place' })
    assert.match(twice.body.error, /a layout must contain \{\{ content \}\} exactly once/)
    for (const used of [layout, foot]) {
      assert.equal((await service.call('DELETE', `templates/${used}`)).refused, '409 template_in_use')
    }
    assert.equal((await write({ kind: 'PARTIAL', name: 'foot', html: 'x' })).refused, '409 template_name_taken')
    const renamed = await service.call('PUT', `templates/${foot}`, { name: 'feet', html: 'x' })
    assert.equal(renamed.refused, '409 template_in_use')
  })

  it('rejects a template whose languages together are too long', async () => {
    await create({ kind: 'PARTIAL', name: 'long', html: 'long '.repeat(90_000) })
    const translations = Array.from({ length: 20 }, (_, n) => ({ locale: `x${String.fromCharCode(97 + n)}` }))
    const { status, body } = await write({ subject: 'Hi', html: "{% render 'long' %}", text: 'Hi', translations })
    assert.equal(status, 400)
    assert.match(body.error, /longer than 4,000,000 characters in all its languages/)
  })

  it('rejects a template that is nested too deeply, and fails as a step', async () => {
    const html = '<div>'.repeat(20_000)
    const { status, body } = await write({ subject: 'Hi', html })
    assert.equal(status, 400)
    assert.match(body.error, /nested too deeply/)
    const contactId = await aContact(service)
    await enroll(service, await anAutomation(service, { steps: [{ type: 'EMAIL', subject: 'Hi', html }] }), contactId)
    await eventually('the email fails', async () =>
      (await activityOf(service, contactId)).find(({ status }) => status === 'FAILED'),
    )
  })

  it('shows a contact only to keys that may read contacts', async () => {
    const id = await create({ subject: '{{ contact.email }}', text: 'Hi' })
    const contactId = await aContact(service)
    const key = await service.newKey({
      scopes: ['templates:read', 'contacts:write'],
      workspaceId: service.workspaceId,
    })
    for (const path of [`templates/${id}/preview`, 'templates/preview']) {
      const body = { contactId, ...(path === 'templates/preview' && { subject: '{{ contact.email }}', text: 'Hi' }) }
      assert.equal((await service.call('POST', path, body, { key })).refused, '403 scope_missing')
    }
    assert.equal((await service.call('POST', `templates/${id}/preview`, {}, { key })).status, 200)
  })

  it('rejects invalid and duplicate translations', async () => {
    const { status, body } = await write({ subject: 'Hi', text: 'Hi', translations: [{ locale: 'de' }, 0, null, 'x'] })
    assert.deepEqual([status, /translations/.test(body.error as string)], [400, true])
    const twice = await write({ subject: 'Hi', text: 'Hi', translations: [{ locale: 'pt_BR' }, { locale: 'pt-br' }] })
    assert.match(twice.body.error, /must not contain a locale twice/)
  })

  it('reports the line and column of a problem', async () => {
    const cases = [
      [{ html: '<p>\n  {% if a %}' }, 'html', 2, 3],
      [{ subject: '{{ a | nothing }}' }, 'subject', 1, 1],
      [
        {
          format: 'MJML',
          html: '<mjml><mj-body>\n<mj-section>\n  <mj-nothing>x</mj-nothing></mj-section></mj-body></mjml>',
        },
        'html',
        3,
        3,
      ],
      [{ html: '{% render "nobody" %}' }, 'html', null, null],
      [
        {
          format: 'MJML',
          html: '<mjml><mj-body>\n  {% for n in contact.metadata.items %}<mj-section></mj-section>{% endfor %}</mj-body></mjml>',
        },
        'html',
        2,
        3,
      ],
      // Content that MJML would silently drop.
      [
        {
          format: 'MJML',
          html: '<mjml><mj-body><mj-section><mj-column>\n <mj-text>Hello</mj-column></mj-section></mj-body></mjml>',
        },
        'html',
        2,
        2,
      ],
      [
        {
          format: 'MJML',
          html: '<mjml><mj-body><mj-section><mj-column>\nHello<mj-text>x</mj-text></mj-column></mj-section></mj-body></mjml>',
        },
        'html',
        2,
        1,
      ],
      [{ format: 'MJML', html: '<!-- Hello -->\n<mj-text>Hello</mj-text>' }, 'html', 2, 1],
    ] as const
    for (const [fields, field, line, column] of cases) {
      const body = { subject: 'Hi', ...fields }
      const refused = await write(body)
      assert.equal(refused.refused, '400 invalid_template', JSON.stringify(fields))
      assert.equal(refused.headers.get('x-error-param'), `/${field}`)
      const seen = (await service.call('POST', 'templates/preview', body)).body.data
      const [problem] = seen.problems
      assert.deepEqual([problem.field, problem.line, problem.column], [field, line, column], problem.problem)
    }
  })

  it('rejects loops, recursion, excessive memory and unfinished tags, and still renders others', async () => {
    await create({ kind: 'PARTIAL', name: 'ok', html: 'x' })
    const itself = await create({ kind: 'PARTIAL', name: 'itself', html: 'y' })
    await service.call('PUT', `templates/${itself}`, { name: 'itself', html: '{% render "itself" %}' })
    const doubling = await create({ kind: 'PARTIAL', name: 'doubling', html: 'z'.repeat(400_000) })
    assert.ok(doubling)
    const bad = [
      { html: '{% for a in (1..100000000) %}x{% endfor %}' },
      { html: '{% render "itself" %}' },
      { html: '{% render "doubling" %}{% render "doubling" %}{% render "doubling" %}' },
      { html: '{% assign a = "aaaaaaaaaa" %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}{{ a }}' },
      { html: '{{ contact.' },
      { html: '{% render contact.email %}' },
      { html: '{% include "/etc/passwd" %}' },
      { subject: '{{ "%00" | url_decode }}' },
    ]
    for (const fields of bad) {
      const { refused } = await write({ subject: 'Hi', ...fields })
      assert.equal(refused, '400 invalid_template', JSON.stringify(fields).slice(0, 80))
    }
    const { refused, body } = await write({
      format: 'MJML',
      subject: 'x',
      html: MJML('<mj-include path="/etc/passwd" />'),
    })
    assert.equal(refused, '400 invalid_template')
    assert.match(JSON.stringify(body), /is not supported: use a partial/)
    assert.equal((await preview(await create({ subject: 'x', text: '{% render "ok" %}' }))).text, 'x')
  })

  it('returns warnings about MJML that is compiled nevertheless, with the line', async () => {
    const html =
      '<mjml><mj-body><mj-section><mj-column>\n<mj-text grün="x">Hi</mj-text></mj-column></mj-section></mj-body></mjml>'
    const warning = 'Attribute gr?n is illegal (mj-text), line:2, col:1'
    const body = { format: 'MJML', subject: 'Hi', html }
    const { headers, body: saved } = await write({ ...body, translations: [{ locale: 'de' }, { locale: 'fr', html }] })
    assert.equal(headers.get('x-warning'), `/html: ${warning}; /translations (fr): html: ${warning}`)
    const replaced = await service.call('PUT', `templates/${saved.data.id}`, { name: 'x', ...body })
    assert.equal(replaced.headers.get('x-warning'), `/html: ${warning}`)
    const seen = (await service.call('POST', 'templates/preview', body)).body.data
    assert.deepEqual(seen.warnings[0], { code: 'mjml', message: warning.replace('?', 'ü'), line: 2, column: 1 })
  })

  it('previews links with the public URL of the instance', async () => {
    const id = await create({ subject: 'Hi', html: '<a href="{{ unsubscribeUrl }}">Unsubscribe</a> {{ confirmUrl }}' })
    const { html, links } = await preview(id)
    assert.deepEqual(links, [`${PUBLIC_URL}/unsubscribe/preview`])
    assert.ok(html.includes(`${PUBLIC_URL}/confirm/preview`))
  })

  it('previews links with the stored public URL, or else the origin of the request, without PUBLIC_URL', async () => {
    const { em } = (await openWorkspace({ worker: false })).context.orm
    const visitor = { origin: 'http://127.0.0.1:3000' } as Visitor
    const linkOf = async () =>
      (await recipientOf({ em, publicUrl: undefined }, { caller: { workspace: {} } as Caller, visitor }, {}))
        .unsubscribeUrl
    assert.equal(await linkOf(), 'http://127.0.0.1:3000/unsubscribe/preview')
    await setPublicUrl(em.fork(), 'https://mail.orchard.test')
    assert.equal(await linkOf(), 'https://mail.orchard.test/unsubscribe/preview')
    await sql(em.fork(), 'update instance set public_url = null')
  })

  describe('a test email of a template', () => {
    const test = (id: string, body: object, key = service.key) =>
      service.call('POST', `templates/${id}/test`, body, { key })

    it('is sent to members, in a contact’s language, for a key that may only write templates', async () => {
      const id = await create({
        subject: 'Hello {{ contact.firstName }}',
        html: '<p>{{ event.data.plan }}</p>',
        translations: [{ locale: 'de', subject: 'Hallo {{ contact.firstName }}' }],
      })
      const members = await Promise.all(['owner', 'viewer'].map((role) => aMember(service, role as 'owner')))
      const to = members.map(({ email }) => email)
      const key = await service.newKey({ scopes: ['templates:write'], workspaceId: service.workspaceId })
      const event = { name: 'trial.started', data: { plan: 'pro' } }
      const { status, body } = await test(id, { to: [...to, to[0]!.toUpperCase()], locale: 'de', event }, key)
      assert.equal(status, 200)
      assert.deepEqual(
        body.data,
        to.map((each) => ({ to: each, status: 'SENT', error: null })),
      )
      for (const each of to) {
        const mails = sink.mails.filter((mail) => mail.to.includes(each))
        assert.equal(mails.length, 1)
        assert.match(mails[0]!.headers, /^Subject: \[Test\] Hallo Ada\r?$/m)
        assert.match(mails[0]!.body, /<p>pro<\/p>/)
      }
    })

    it('is not sent if one address is not a member’s', async () => {
      const id = await create({ subject: 'Hi', text: 'Hi' })
      const { email } = await aMember(service, 'owner')
      const elsewhere = await aMember(
        service,
        'owner',
        (await createWorkspace(service.context.orm.em, { name: 'x', mode: 'live' })).id,
      )
      const { refused, headers, body } = await test(id, { to: [email, elsewhere.email] })
      assert.equal(refused, '404 member_not_found')
      assert.equal(headers.get('x-error-param'), '/to/1')
      assert.match(body.error, /is not a member of this workspace/)
      assert.deepEqual(
        sink.mails.filter((mail) => mail.to.includes(email)),
        [],
      )
    })

    it('is limited per recipient', async () => {
      const id = await create({ subject: 'Hi', text: 'Hi' })
      const { email } = await aMember(service, 'owner')
      const sent = await Promise.all(Array.from({ length: 12 }, () => test(id, { to: [email] })))
      assert.deepEqual(new Set(sent.flatMap(({ refused }) => refused ?? [])), new Set(['429 too_many_test_emails']))
      assert.equal(sink.mails.filter((mail) => mail.to.includes(email)).length, 10)
    })

    it('needs recipients, and a template that can be rendered', async () => {
      const id = await create({ subject: 'Hi', text: 'Hi' })
      const { email } = await aMember(service, 'owner')
      for (const body of [{}, { to: [] }, { to: email }]) assert.equal((await test(id, body)).status, 400)
      const partial = await create({ kind: 'PARTIAL', name: 'broken', format: 'MJML', html: '<mj-text>Hi</mj-text>' })
      assert.equal((await test(partial, { to: [email] })).refused, '400 invalid_template')
    })
  })

  it('returns the size, links and lint warnings of an email', async () => {
    const html = `<img src="https://example.com/a.png"><a href="http://bit.ly/x?a=1&amp;b=2">Go</a>${' '.repeat(110 * 1024)}`
    const seen = await preview(await create({ subject: 'FREE MONEY!!', html }))
    assert.ok(seen.bytes > 102 * 1024)
    assert.deepEqual(seen.links, ['http://bit.ly/x?a=1&b=2'])
    const codes = seen.warnings.map(({ code }: { code: string }) => code)
    for (const code of [
      'clipped',
      'shouting',
      'exclamations',
      'no_alt',
      'pictures_alone',
      'shortened_link',
      'plain_http',
    ]) {
      assert.ok(codes.includes(code), code)
    }
    const sound = await preview(
      await create({ subject: 'Your week', html: '<p>Hi</p><a href="{{ unsubscribeUrl }}">Unsubscribe</a>' }),
    )
    assert.deepEqual(sound.warnings, [])
  })

  it('sends a template in the contact’s language, in the version from when the step was published', async () => {
    const id = await create({
      subject: 'Hello {{ contact.firstName }}',
      html: '<p>Hello</p>',
      translations: [
        { locale: 'de', subject: 'Hallo {{ contact.firstName }}', html: '<p>Guten Tag</p>' },
        { locale: 'pt_BR', subject: 'Olá' },
      ],
    })
    const automationId = await anAutomation(service, { steps: [{ type: 'EMAIL', templateId: id }] })
    await service.call('PUT', `templates/${id}`, { name: 'x', subject: 'Later', text: 'Later' })
    const { data } = (await service.call('GET', `automations/${automationId}`)).body
    assert.deepEqual([data.steps[0].templateId, data.steps[0].templateVersion], [id, 1])
    for (const [locale, subject, html] of [
      ['de-AT', 'Hallo Ada', /<p>Guten Tag<\/p>/],
      ['pt-br', 'Olá', /<p>Hello<\/p>/],
      ['fr', 'Hello Ada', /<p>Hello<\/p>/],
      [7, 'Hello Ada', /<p>Hello<\/p>/],
    ] as const) {
      const contactId = await aContact(service, { firstName: 'Ada', metadata: { locale } })
      await enroll(service, automationId, contactId)
      const sent = await sentTo(contactId)
      assert.equal(sent.subject, subject)
      assert.match(sent.html, html)
      assert.ok(await addressOf(service, contactId))
    }
    // Steps that were read can be written again, even after the template is deleted.
    await service.call('DELETE', `templates/${id}`)
    const again = await service.call('PUT', `automations/${automationId}/steps`, { steps: data.steps })
    assert.deepEqual([again.status, again.body.data.steps[0].templateId], [200, null])
    assert.equal(again.body.data.steps[0].subject, 'Hello {{ contact.firstName }}')
  })

  it('returns 404 for a step with an unknown template or a partial', async () => {
    const partial = await create({ kind: 'PARTIAL', name: 'apart', html: 'x' })
    for (const templateId of [partial, '0199f3a1-7c4e-7b5a-9d0e-3f8a2b6c1d4e', 'nonsense']) {
      const made = await service.call('POST', 'automations', {
        name: 'x',
        trigger: 'SIGNUP',
        steps: [{ type: 'EMAIL', templateId }],
      })
      assert.equal(made.refused, '404 template_not_found')
    }
  })

  it('returns 404 for a template or a layout of another workspace in a body', async () => {
    const key = await service.newKey()
    const templateId = await create({ subject: 'Ours', text: 'x' })
    const layoutId = await create({ kind: 'LAYOUT', html: '{{ content }}' })
    const automation = { name: 'x', trigger: 'SIGNUP', steps: [{ type: 'EMAIL', templateId }] }
    for (const [path, body] of [
      ['automations', automation],
      ['templates', { name: 'x', subject: 'x', html: 'x', layoutId }],
    ] as const)
      assert.equal((await service.call('POST', path, body, { key })).refused, '404 template_not_found', path)
  })
})
