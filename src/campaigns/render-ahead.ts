import {
  type EmailContent,
  type RenderedEmail,
  type Renderer,
  RendererBusy,
  type TemplateProblem,
  type TemplateVariables,
} from '../rendering/index.ts'

/** Maximum number of emails in a render job, and the number while their length is unknown. */
const MAX_AT_ONCE = 25
const FIRST_AT_ONCE = 5
/** Approximate total characters of the emails in a job. They are kept in memory until they are taken. */
const CHARACTERS_AT_ONCE = 4_000_000

export interface RenderTask<Item> {
  item: Item
  content: EmailContent
}

export type Rendered = RenderedEmail | TemplateProblem | undefined

const lengthOf = (rendered: Rendered): number =>
  rendered && 'subject' in rendered ? (rendered.html?.length ?? 0) + (rendered.text?.length ?? 0) : 0

/**
 * Renders emails in jobs, one job ahead of the consumer and no further. No matter how slowly emails are sent, no more than that
 * are in memory.
 */
export class RenderAhead<Item> {
  private readonly renderer: Renderer
  private readonly owner: string
  private readonly variablesOf: (item: Item) => TemplateVariables
  private readonly emails: readonly RenderTask<Item>[]
  private readonly slots = new Map<number, Promise<Rendered>>()
  /** The first email that is in no job yet; `lastJob` is the first email of the last job. */
  private begun = 0
  private lastJob = 0
  /** Maximum number of emails in the next job. */
  atOnce = FIRST_AT_ONCE
  /** Length of the longest email so far, in characters. */
  longest = 0

  /** @param emails in the order in which they are taken, with emails of the same content next to each other */
  constructor(
    renderer: Renderer,
    emails: readonly RenderTask<Item>[],
    { owner, variablesOf }: { owner: string; variablesOf: (item: Item) => TemplateVariables },
  ) {
    this.renderer = renderer
    this.emails = emails
    this.owner = owner
    this.variablesOf = variablesOf
  }

  /** @param n index of the email @returns `undefined` if the machine is too busy */
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
      // `take` reports the error. If processing stopped, no consumer is left and the error can be ignored.
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
