import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { createRenderer, type Renderer } from '../../src/rendering/renderer.ts'
import { isAlive } from '../../embedded/process-table.ts'
import { eventually } from '../support/eventually.ts'
import { RendererBusy, RendererClosed, TemplateError } from '../../src/rendering/content.ts'

const contact = { email: 'ada@example.com', firstName: 'Ada', metadata: {} }
const email = (text: string) => ({ subject: 'Hi', html: null, text })

/** Work that no counter limits and that takes minutes, because each comparison reads half a million characters. */
const compares = (times: number, doublings: number) =>
  `{% assign s = "ab" %}{% assign t = "ab" %}` +
  `{% for i in (1..${doublings}) %}{% assign s = s | append: s %}{% assign t = t | append: t %}{% endfor %}` +
  `{% for i in (1..${times}) %}{% if ${Array(20).fill('s == t').join(' and ')} %}{% endif %}{% endfor %}`
const ENDLESS = compares(45_000, 18)
/** A different template for each number. */
const endless = (n: number) => `${ENDLESS}${n}`

async function rendererProcesses(owner = process.pid, used = /./): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,time=,args='])
  return stdout.split('\n').flatMap((line) => {
    const [pid, ppid, time] = line.trim().split(/\s+/)
    return Number(ppid) === owner && used.test(time!) && line.includes('rendering/process.ts') ? [Number(pid)] : []
  })
}

/** Renderer processes that used a processor for a second, which means that they have started. */
async function busyProcesses(owner?: number): Promise<number[] | undefined> {
  const found = await rendererProcesses(owner, /[1-9]/)
  return found.length > 0 ? found : undefined
}

describe('the renderer', () => {
  let renderer: Renderer
  beforeEach(() => {
    renderer = createRenderer({ deadlineMs: 300, memoryMb: 32 })
  })
  afterEach(() => renderer.close())

  const outcome = (text: string, options = {}) =>
    renderer.render(email(text), { contact }, options).then(
      (rendered) => rendered.text,
      (error: unknown) => {
        assert.ok(error instanceof TemplateError)
        return error.message
      },
    )

  it('ends a job that takes too long, and fails only that job', async () => {
    assert.equal(await outcome(ENDLESS), 'text: took longer than 0.3 s')
    assert.equal(await outcome('{{ contact.firstName }}'), 'Ada')
    assert.deepEqual((await renderer.check(email(ENDLESS))).problems, [
      { field: 'text', problem: 'took longer than 0.3 s' },
    ])
  })

  it('ends a range that never ends, and a search that takes too long', async () => {
    const beyond = '{% for i in (9007199254740992..9007199254740996) %}x{% endfor %}'
    assert.match((await outcome(beyond))!, /^text: (?:needs more than 32 MB of memory|took longer than 0\.3 s)/)
    const letters = '{% assign s = "a" %}' + '{% assign s = s | append: s %}'.repeat(17)
    const pattern = `${letters}{% assign p = s | append: "b" | append: s %}{% assign s = s | append: s | append: s %}`
    assert.match((await outcome(`${pattern}{{ s | replace: p, "" | size }}`))!, /^text: took longer than 0\.3 s/)
  })

  it('runs a job that broke a process only in the process for suspects', async () => {
    const source = { format: 'HTML', subject: 'Hi', previewText: null, html: '{% render "x" %}', text: null } as const
    const others = await rendererProcesses()
    // No template breaks a process, so this breaks the contract instead.
    const breaks = () =>
      renderer.compile({ kind: 'EMAIL', source, layout: null, partials: undefined as never, locale: null })
    await assert.rejects(breaks(), RendererBusy)
    assert.equal(await outcome('{{ contact.firstName }}'), 'Ada')
    // The shared service may have processes of its own.
    const before = (await rendererProcesses()).filter((pid) => !others.includes(pid))
    assert.equal(before.length, 1)
    await assert.rejects(breaks(), RendererBusy)
    assert.equal(await outcome('Hello {{ contact.firstName }}'), 'Hello Ada')
    assert.ok((await rendererProcesses()).includes(before[0]!))
  })

  it('rejects jobs as busy, not as failed, on an overloaded machine', async () => {
    const busy = createRenderer({ deadlineMs: 10_000, wallMs: 100 })
    try {
      await assert.rejects(busy.render(email(ENDLESS), { contact }), RendererBusy)
      await assert.rejects(busy.check(email(ENDLESS)), RendererBusy)
      assert.equal((await busy.render(email('still here'), { contact })).text, 'still here')
    } finally {
      await busy.close()
    }
  })

  it('ends a job that needs too much memory, and fails only that job', async () => {
    const greedy = Array.from({ length: 3 }, (_, n) => `{% assign a${n} = (1..999999) | reverse %}`).join('')
    const small = createRenderer({ memoryMb: 20, deadlineMs: 5_000 })
    try {
      const rendering = small.render(email(greedy), { contact })
      await assert.rejects(rendering, { name: 'TemplateError', message: 'text: needs more than 20 MB of memory' })
      assert.equal((await small.render(email('still here'), { contact })).text, 'still here')
    } finally {
      await small.close()
    }
  })

  it('ends a job that needs too much memory outside of V8’s heap', async () => {
    const formats = `{% assign f = '%B' %}${'{% assign f = f | append: f %}'.repeat(14)}{{ 'now' | date: f | size }}`
    const patient = createRenderer({ memoryMb: 32, deadlineMs: 60_000, wallMs: 60_000 })
    const {
      problems: [problem],
    } = await patient.check(email(formats))
    assert.deepEqual(problem, { field: 'text', problem: 'needs more than 32 MB of memory' })
    await patient.close()
  })

  it('rejects a job as busy if its process was killed', async () => {
    const patient = createRenderer({ deadlineMs: 600_000, wallMs: 600_000 })
    const others = await rendererProcesses()
    const rendering = patient.render(email(ENDLESS), { contact })
    const [pid] = await eventually('a process is busy', async () => {
      const busy = (await busyProcesses())?.filter((each) => !others.includes(each)) ?? []
      return busy.length > 0 ? busy : undefined
    })
    process.kill(pid!, 'SIGKILL')
    await assert.rejects(rendering, RendererBusy)
    assert.equal((await patient.render(email('still here'), { contact })).text, 'still here')
    await patient.close()
  })

  it('leaves no process behind if its owner is killed during a long job', async () => {
    const script = `
      const { createRenderer } = await import(${JSON.stringify(import.meta.resolve('../../src/rendering/renderer.ts'))})
      const contact = ${JSON.stringify(contact)}
      createRenderer({ deadlineMs: 600_000, wallMs: 600_000 }).render(${JSON.stringify(email(ENDLESS))}, { contact })`
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' })
    const [pid] = await eventually('a process is busy', () => busyProcesses(owner.pid))
    owner.kill('SIGKILL')
    await eventually('the process has ended', () => (isAlive(pid!) ? undefined : true))
  })

  it('recovers after it could not start a process, for example without free file descriptors', async () => {
    const script = `
      const { openSync, closeSync } = await import('node:fs')
      const { createRenderer } = await import(${JSON.stringify(import.meta.resolve('../../src/rendering/renderer.ts'))})
      const renderer = createRenderer()
      const render = () => renderer.render(${JSON.stringify(email('Hi'))}, { contact: ${JSON.stringify(contact)} })
      const files = []
      try { for (;;) files.push(openSync('/dev/null')) } catch {}
      const failed = await render().catch(() => 'failed')
      for (const file of files) closeSync(file)
      console.log(failed, (await render()).text)
      process.exit()`
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      'ulimit -n 64; exec "$0" --input-type=module --eval "$1"',
      ...[process.execPath, script],
    ])
    assert.equal(stdout, 'failed Hi\n')
  })

  it('reserves a process for templates that were rendered before, no matter how many others hang', async () => {
    assert.equal(await outcome('Hello {{ contact.firstName }}', { owner: 'good' }), 'Hello Ada')
    const hanging = Array.from({ length: 3 }, (_, n) => outcome(endless(n), { owner: `bad ${n}` }))
    let ended = 0
    for (const each of hanging) void each.then(() => (ended += 1))
    assert.equal(await outcome('Hello {{ contact.firstName }}', { owner: 'good' }), 'Hello Ada')
    assert.ok(ended < 2, `${ended} of them ended before it`)
    assert.deepEqual(new Set(await Promise.all(hanging)), new Set(['text: took longer than 0.3 s']))
  })

  it('makes only the owner of a hanging template wait', async () => {
    let done = 0
    const hanging = Array.from({ length: 3 }, (_, n) =>
      outcome(endless(n), { owner: 'bad' }).finally(() => (done += 1)),
    )
    assert.equal(await outcome('a new one', { owner: 'good' }), 'a new one')
    // At most the first attempt of the first template ran before. Retries have a process of their own.
    assert.ok(done < 2, `${done} of them ran before it`)
    assert.equal(new Set(await Promise.all(hanging)).size, 1)
    assert.equal(await outcome('fine', { owner: 'bad' }), 'fine')
  })

  it('alternates between owners, so that a thousand jobs of one do not delay another', async () => {
    await outcome('warm')
    let done = 0
    const many = Array.from({ length: 1_000 }, (_, n) =>
      outcome(`many ${n % 7}`, { owner: 'many' }).then(() => (done += 1)),
    )
    assert.equal(await outcome('one', { owner: 'one' }), 'one')
    assert.ok(done < 100, `${done} ran before it`)
    await Promise.all(many)
  })

  it('reports only the recipient that fails, and returns the emails of the others', async () => {
    const content = email(`{% if contact.firstName == 'slow' %}${ENDLESS}{% endif %}{{ contact.firstName }}`)
    const people = ['a', 'slow', 'c'].map((firstName) => ({ contact: { ...contact, firstName } }))
    const emails = await renderer.renderAll(content, people)
    assert.deepEqual(
      emails.map((each) => ('problem' in each ? each : each.text)),
      ['a', { field: 'text', problem: 'took longer than 0.3 s' }, 'c'],
    )
  })

  it('gives an owner of slow templates one process at a time', async () => {
    renderer = createRenderer({ deadlineMs: 5_000 })
    const long = compares(500, 17)
    const both = () => Promise.all(['heavy', 'other'].map((owner) => outcome(long, { owner })))
    await outcome('short')
    await outcome(long)
    // These runs start the processes for templates that were rendered before.
    await both()
    await both()
    const order: string[] = []
    const jobs = [
      ...Array.from({ length: 3 }, () => outcome(long, { owner: 'heavy' }).then(() => order.push('heavy'))),
      outcome('short', { owner: 'short' }).then(() => order.push('short')),
    ]
    await Promise.all(jobs)
    assert.deepEqual(order, ['short', 'heavy', 'heavy', 'heavy'])
  })

  it('rejects a job immediately if it has not started by its deadline', async () => {
    const long = outcome(compares(500, 17), { owner: 'same' })
    const beginBy = new AbortController()
    const late = renderer.render(email('late'), { contact }, { owner: 'same', beginBy: beginBy.signal })
    beginBy.abort()
    await assert.rejects(late, RendererBusy)
    await long
    const inTime = new AbortController()
    const begun = renderer.render(email('in time'), { contact }, { owner: 'same', beginBy: inTime.signal })
    inTime.abort()
    assert.equal((await begun).text, 'in time')
  })

  it('rejects waiting and new jobs after it is closed', async () => {
    const waiting = Array.from({ length: 4 }, (_, n) => renderer.render(email(endless(n)), { contact }))
    const settled = Promise.allSettled(waiting)
    await renderer.close()
    for (const each of await settled) assert.ok(each.status === 'rejected' && each.reason instanceof RendererClosed)
    await assert.rejects(renderer.render(email('x'), { contact }), RendererClosed)
  })
})
