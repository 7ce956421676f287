import {
  type EmailContent,
  type RenderedEmail,
  type Renderer,
  RendererBusy,
  type TemplateProblem,
  type TemplateVariables,
} from '../rendering/index.ts'

/** How many emails are rendered in one job at most, and of those whose length nobody knows yet. */
const MAX_AT_ONCE = 25
const FIRST_AT_ONCE = 5
/** How long the emails of a job are together, about, in characters: they are held until it is their turn. */
const CHARACTERS_AT_ONCE = 4_000_000

export interface ToRender<Item> {
  item: Item
  content: EmailContent
}

export type Rendered = RenderedEmail | TemplateProblem | undefined

const lengthOf = (rendered: Rendered): number =>
  rendered && 'subject' in rendered ? (rendered.html?.length ?? 0) + (rendered.text?.length ?? 0) : 0

/**
 * Renders emails in jobs of some, one job ahead of whoever takes them, and no further: however slowly they leave, no more of them are in
 * memory than that.
 */
export class RenderAhead<Item> {
  private readonly renderer: Renderer
  private readonly owner: string
  private readonly variablesOf: (item: Item) => TemplateVariables
  private readonly emails: readonly ToRender<Item>[]
  private readonly slots = new Map<number, Promise<Rendered>>()
  /** Up to which one jobs have begun, and from which one the last of them did. */
  private begun = 0
  private lastJob = 0
  private atOnce = FIRST_AT_ONCE
  /** How long the longest of them is so far, in characters. */
  longest = 0

  /** @param emails in the order in which they are taken: those of the same content beside each other */
  constructor(
    renderer: Renderer,
    emails: readonly ToRender<Item>[],
    { owner, variablesOf }: { owner: string; variablesOf: (item: Item) => TemplateVariables },
  ) {
    this.renderer = renderer
    this.emails = emails
    this.owner = owner
    this.variablesOf = variablesOf
  }

  /** @param n whose turn it is @returns `undefined` where the machine is too busy */
  async take(n: number): Promise<Rendered> {
    while (this.begun <= n) this.beginJob()
    if (n >= this.lastJob && this.begun < this.emails.length) this.beginJob()
    const rendered = await this.slots.get(n)
    this.slots.delete(n)
    return rendered
  }

  private beginJob(): void {
    const from = this.begun
    const { content } = this.emails[from]!
    let to = from
    while (to < this.emails.length && to - from < this.atOnce && this.emails[to]!.content === content) to += 1
    this.lastJob = from
    this.begun = to
    const items = this.emails.slice(from, to).map(({ item }) => item)
    const job = this.render(content, items)
    for (let n = from; n < to; n += 1) {
      const slot = job.then((emails) => emails?.[n - from])
      // Whoever takes it hears of it; where nobody does, because all is stopped, nobody has to.
      slot.catch(() => undefined)
      this.slots.set(n, slot)
    }
  }

  private async render(content: EmailContent, items: readonly Item[]): Promise<Rendered[] | undefined> {
    try {
      const emails = await this.renderer.renderAll(content, items.map(this.variablesOf), { owner: this.owner })
      this.longest = Math.max(this.longest, ...emails.map(lengthOf))
      this.atOnce = Math.min(MAX_AT_ONCE, Math.max(1, Math.floor(CHARACTERS_AT_ONCE / Math.max(this.longest, 1))))
      return emails
    } catch (error) {
      if (error instanceof RendererBusy) return undefined
      throw error
    }
  }
}
