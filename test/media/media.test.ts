import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp, { type Sharp } from 'sharp'
import { anAutomation } from '../support/factories.ts'
import { credentialsFor } from '../support/members.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace, PUBLIC_URL } from '../support/shared-service.ts'

interface File {
  id: string
  name: string
  alt: string | null
  url: string
  type: string
  width: number
  height: number
  bytes: number
  usedIn: { kind: string; name: string; status: string | null }[]
}

const canvas = (width: number, height: number, color = '#2f5d3a'): Sharp =>
  sharp({ create: { width, height, channels: 4, background: color } })
const GIF_FRAMES = Buffer.from(
  'R0lGODlhAgACAPAAAP8AAAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQAZAAAACwAAAAAAgACAAACAoRRACH5BABkAAAALAAAAAACAAIAgAD/AAAAAAIChFEAOw==',
  'base64',
)

/** The type, width and height that each kind of file gets. A telephone's photo of 400 × 300 is turned by its orientation. */
const CONVERSIONS: [string, () => Buffer | Promise<Buffer>, string, number, number][] = [
  ['a small PNG', () => canvas(300, 200).png().toBuffer(), 'image/png', 300, 200],
  ['a large PNG', () => canvas(3200, 1000).png().toBuffer(), 'image/png', 1600, 500],
  ['a turned photo', () => canvas(400, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer(), 'image/jpeg', 300, 400],
  ['a transparent WebP', () => canvas(50, 40, '#00000080').webp().toBuffer(), 'image/png', 50, 40],
  ['an opaque WebP', () => canvas(50, 40).removeAlpha().webp().toBuffer(), 'image/jpeg', 50, 40],
  ['an animated GIF', () => GIF_FRAMES, 'image/gif', 2, 2],
  [
    'an SVG',
    () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"><script>1</script></svg>'),
    'image/png',
    60,
    30,
  ],
]

describe('media', () => {
  let service: Service
  let other: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
    other = await openWorkspace({ worker: false })
  })

  const upload = (name: string, content: Buffer, more: object = {}, to = service) =>
    to.call('POST', 'media-files', { name, content: content.toString('base64'), ...more })
  const added = async (name: string, content: Buffer, more: object = {}, to = service) => {
    const { status, body } = await upload(name, content, more, to)
    assert.ok(status === 201 || status === 200, JSON.stringify(body))
    return body.data as File
  }
  const download = (url: string) => fetch(url.replace(PUBLIC_URL, `http://127.0.0.1:${service.port}`))

  for (const [name, make, type, width, height] of CONVERSIONS) {
    it(`stores ${name} as ${type} of ${width} × ${height}`, async () => {
      const file = await added(name, await make())
      assert.deepEqual([file.type, file.width, file.height], [type, width, height])
      const response = await download(file.url)
      const content = Buffer.from(await response.arrayBuffer())
      assert.equal(response.headers.get('content-type'), type)
      assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(content.length, file.bytes)
      const { format, width: wide, pageHeight, height: high, orientation } = await sharp(content).metadata()
      assert.deepEqual([`image/${format}`, wide, pageHeight ?? high, orientation], [type, width, height, undefined])
    })
  }

  it('keeps the frames of an animation', async () => {
    const { url } = await added('frames.gif', GIF_FRAMES)
    const { pages } = await sharp(Buffer.from(await (await download(url)).arrayBuffer())).metadata()
    assert.equal(pages, 2)
  })

  it('removes the place of a photo', async () => {
    const exif = { IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' } }
    const photo = await canvas(20, 20).withExif(exif).jpeg().toBuffer()
    assert.ok((await sharp(photo).metadata()).exif, 'the photo has a place')
    const { url } = await added('photo.jpg', photo)
    assert.equal((await sharp(Buffer.from(await (await download(url)).arrayBuffer())).metadata()).exif, undefined)
  })

  it('rejects files that cannot be read or are too large, and those beyond the space of the workspace', async () => {
    for (const content of [Buffer.from('hello'), Buffer.from('<svg'), Buffer.from('%PDF-1.4')]) {
      const { refused } = await upload('x.png', content)
      assert.equal(refused, '400 not_an_image')
    }
    const { refused } = await upload('x.png', Buffer.alloc(5 * 1024 * 1024 + 1))
    assert.equal(refused, '400 image_too_large')
    // The service allows a thousand megabytes.
    await sql(
      service.context.orm.em.fork(),
      `insert into media_files (id, workspace_id, name, hash, type, width, height, bytes, content)
       values ($1, $2, 'large.png', 'x', 'image/png', 1, 1, 1048575999, '')`,
      [newId(), service.workspaceId],
    )
    assert.equal((await upload('a.png', await canvas(63, 5).png().toBuffer())).refused, '409 media_full')
    await sql(service.context.orm.em.fork(), `delete from media_files where hash = 'x'`)
  })

  it('stores the same content once in a workspace, and apart from that of others', async () => {
    const content = await canvas(31, 31).png().toBuffer()
    const first = await upload('a.png', content, { alt: 'A' })
    const second = await upload('b.png', content)
    assert.deepEqual([first.status, second.status], [201, 200])
    assert.deepEqual(second.body.data, first.body.data)
    const theirs = await added('a.png', content, {}, other)
    assert.notEqual(theirs.url, first.body.data.url)
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await service.call(method, `media-files/${theirs.id}`)).refused, '404 media_not_found')
    }
  })

  it('stores an image once that is uploaded many times at once', async () => {
    const content = await canvas(41, 3).png().toBuffer()
    const answers = await Promise.all(Array.from({ length: 12 }, () => upload('a.png', content)))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array.from({ length: 11 }, () => 200), 201])
    assert.equal(new Set(answers.map(({ body }) => (body.data as File).url)).size, 1)
  })

  it('ends the conversion of a drawing that takes minutes, and serves other requests', async () => {
    const shapes = '<rect width="5000" height="5000" opacity=".5"/>'.repeat(40_000)
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="5000" height="5000">${shapes}</svg>`
    const slow = upload('drawing.svg', Buffer.from(drawing))
    assert.equal((await service.call('GET', 'lists')).status, 200)
    assert.equal((await slow).refused, '400 image_too_large')
    // The next one gets a new process.
    await added('next.png', await canvas(17, 3).png().toBuffer())
  })

  it('rejects an image that grows beyond the limit', async () => {
    const noise = {
      create: {
        width: 1600,
        height: 8000,
        channels: 4 as const,
        noise: { type: 'gaussian' as const, mean: 128, sigma: 60 },
        background: '#fff',
      },
    }
    const content = await sharp(noise).webp({ quality: 1, alphaQuality: 0 }).toBuffer()
    assert.ok(content.length < 5 * 1024 * 1024)
    assert.equal((await upload('noise.webp', content)).refused, '400 image_too_large')
  })

  it('serves many recipients at once while the API works', async () => {
    const { url } = await added('large.png', await canvas(900, 900).png().toBuffer())
    const all = await Promise.all([
      ...Array.from({ length: 200 }, () => download(url)),
      service.call('GET', 'lists').then(({ status }) => ({ status })),
    ])
    assert.deepEqual([...new Set(all.map(({ status }) => status))], [200])
  })

  it('finds files by a part of the name or the alt text, on more than one page', async () => {
    const own = await openWorkspace({ worker: false })
    for (let n = 0; n < 12; n += 1) {
      const alt = n % 2 === 0 ? `100% Apple ${n}` : null
      await added(
        `box-${n}.png`,
        await canvas(10 + n, 5)
          .png()
          .toBuffer(),
        { alt },
        own,
      )
    }
    const list = async (query: string) => {
      const { body } = await own.call('GET', `media-files?${query}`)
      const { data, pagination } = body as unknown as { data: File[]; pagination: { total: number } }
      return [data.map(({ name }) => name), pagination.total]
    }
    const even = [10, 8, 6, 4, 2, 0].map((n) => `box-${n}.png`)
    assert.deepEqual(await list('search=apple'), [even, 6])
    assert.deepEqual(await list('search=100%25&limit=2&page=3'), [even.slice(4), 6])
    assert.deepEqual(await list('search=BOX-1'), [['box-11.png', 'box-10.png', 'box-1.png'], 3])
    assert.deepEqual(await list('search=100_'), [[], 0])
  })

  it('names what uses a file, and deletes it when nothing can send it any more', async () => {
    const { id, url } = await added('used.png', await canvas(77, 7).png().toBuffer())
    const html = `<img src="${url}" alt="">`
    const unused = { name: 'Other', subject: 'S', html: '<p>S</p>' }
    const template = await service.call('POST', 'templates', { name: 'Spring', subject: 'S', html })
    const automation = await anAutomation(service, { name: 'Trial', steps: [{ type: 'EMAIL', subject: 'S', html }] })
    const campaign = await service.call('POST', 'campaigns', { name: 'News', subject: 'S', html, audience: {} })
    await service.call('POST', 'templates', unused)
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
    const email = await service.call('POST', 'emails', { to: 'ada@example.com', subject: 'Zebra', html, scheduledAt })
    const uses = async () => ((await service.call('GET', `media-files/${id}`)).body.data as File).usedIn
    assert.deepEqual(
      (await uses()).map(({ kind, name, status }) => [kind, name, status]),
      [
        ['CAMPAIGN', 'News', 'DRAFT'],
        ['TEMPLATE', 'Spring', null],
        ['AUTOMATION', 'Trial', 'ACTIVE'],
        ['EMAIL', 'Zebra', null],
      ],
    )
    const isRefused = async (message: RegExp) => {
      const { refused, body } = await service.call('DELETE', `media-files/${id}`)
      assert.equal(refused, '409 media_in_use')
      assert.match((body as unknown as { error: string }).error, message)
    }
    await isRefused(/^The campaign "News" uses this file/)
    await service.call('DELETE', `campaigns/${campaign.body.data.id}`)
    await isRefused(/^The template "Spring" uses/)
    await service.call('PUT', `templates/${template.body.data.id}`, { ...unused, name: 'Spring' })
    await isRefused(/^The automation "Trial" uses/)
    await service.call('DELETE', `automations/${automation}`)
    // Many campaigns that have ended do not hide what can still send it.
    const copies = await service.call('POST', 'campaigns', { name: 'A', subject: 'S', html, audience: {} })
    for (let n = 0; n < 100; n += 1) await service.call('POST', `campaigns/${(copies.body.data as File).id}/duplicate`)
    await sql(service.context.orm.em.fork(), `update campaigns set status = 'SENT' where workspace_id = $1`, [
      service.workspaceId,
    ])
    await isRefused(/^The scheduled email "Zebra" uses/)
    await service.call('POST', `emails/${(email.body.data as File).id}/cancel`)
    const reader = await service.newKey({ workspaceId: service.workspaceId, scopes: ['templates:read'] })
    const seen = await service.call('GET', `media-files/${id}`, undefined, { key: reader })
    assert.deepEqual((seen.body.data as File).usedIn, [])
    assert.equal((await service.call('DELETE', `media-files/${id}`)).status, 200)
    assert.equal((await service.call('GET', `media-files/${id}`)).status, 404)
  })

  it('marks an image as decorative, apart from one without a text', async () => {
    const { id, alt } = await added('line.png', await canvas(600, 2).png().toBuffer())
    assert.equal(alt, null)
    const { body } = await service.call('PATCH', `media-files/${id}`, { alt: '', name: 'rule.png' })
    assert.deepEqual([body.data.alt, body.data.name], ['', 'rule.png'])
    assert.equal((await service.call('PATCH', `media-files/${id}`, {})).status, 400)
  })

  describe('of other servers', () => {
    let web: Server
    let origin: string
    before(async () => {
      const picture = await canvas(2000, 10).png().toBuffer()
      web = createServer((request, response) => {
        if (request.url === '/moved') response.writeHead(302, { Location: '/apples.png' }).end()
        else if (request.url === '/inside') response.writeHead(302, { Location: 'http://10.0.0.1/x.png' }).end()
        else if (request.url === '/drawing.svg')
          response.writeHead(200).end('<svg xmlns="http://www.w3.org/2000/svg"/>')
        else if (request.url === '/apples.png') response.writeHead(200).end(picture)
        else if (request.url === '/page') response.writeHead(200, { 'Content-Type': 'image/png' }).end('<p>Hello')
        else response.writeHead(404).end()
      })
      await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
      origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
    })
    after(() => void web.close())

    it('loads them for a preview, and follows redirects to public addresses only', async () => {
      const options = await credentialsFor(service, {})
      const load = async (url: string) => {
        const { body, refused } = await service.call('POST', 'media-files/preview', { url }, options)
        return refused ?? (body.data as { dataUrl: string }).dataUrl
      }
      for (const path of ['/apples.png', '/moved']) {
        const shown = await load(`${origin}${path}`)
        assert.match(shown, /^data:image\/png;base64,/)
        const { width } = await sharp(Buffer.from(shown.split(',')[1]!, 'base64')).metadata()
        assert.equal(width, 1600)
      }
      const own = await added('own.png', await canvas(9, 9).png().toBuffer())
      assert.match(await load(own.url), /^data:image\/png;base64,/)
      assert.equal(await load(`${origin}/missing`), '400 image_unreachable')
      assert.equal(await load(`${origin}/inside`), '400 image_unreachable')
      assert.equal(await load('file:///etc/passwd'), '400 image_unreachable')
      assert.equal(await load(`${origin}/drawing.svg`), '400 not_an_image')
      assert.equal(await load(`${origin}/page`), '400 not_an_image')
    })
  })
})
