import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { createRenderer, type TemplateVariables } from '../../src/rendering/index.ts'

const NAMES = ['welcome', 'newsletter'] as const
const SIZES = { wide: { width: 800, height: 760 }, narrow: { width: 375, height: 760 } } as const

const RECIPIENT: TemplateVariables = {
  contact: {
    email: 'ada@example.com',
    firstName: 'Ada',
    metadata: {
      plan: 'pro',
      stories: [
        {
          title: 'Apples that keep',
          text: 'Boskoop until April, Cox until Christmas: what to eat first, and what to leave in the cellar.',
        },
        { title: 'A press for the village', text: 'On Saturdays from ten. Bring bottles; we bring the music.' },
      ],
    },
  },
  event: null,
  unsubscribeUrl: 'https://mail.example.com/unsubscribe/…',
}

/** Takes screenshots of the templates in `docs/examples` as recipients see them: compiled, rendered, wide and narrow, light and dark. */
export async function pictureEmails(
  browser: Browser,
  take: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const renderer = createRenderer()
  try {
    for (const name of NAMES) {
      const html = readFileSync(new URL(`../../docs/examples/${name}.mjml`, import.meta.url), 'utf8')
      const source = { format: 'MJML' as const, subject: name, previewText: null, html, text: null }
      const { content, problems } = await renderer.compile({
        kind: 'EMAIL',
        source,
        layout: null,
        partials: {},
        locale: null,
      })
      if (!content) throw new Error(`${name}: ${JSON.stringify(problems)}`)
      const email = await renderer.render(content, RECIPIENT)
      if (!email.html?.includes('<!--[if mso')) throw new Error(`${name} has nothing for Outlook in it`)
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const [size, viewport] of Object.entries(SIZES)) {
          const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled: false })
          const page = await context.newPage()
          await page.setContent(email.html)
          await take(page, `email-${name}-${colorScheme}-${size}`)
          await context.close()
        }
      }
    }
  } finally {
    await renderer.close()
  }
}
