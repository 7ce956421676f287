import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { EmailContent } from '../rendering/index.ts'
import type { CompiledContents } from '../templates/index.ts'

/** What a campaign says, compiled: itself, and in the variants of its A/B test. */
export interface CampaignContents {
  /** `undefined` where that stays. */
  own: CompiledContents | undefined
  variants: readonly CompiledContents[]
}

/** Writes what a campaign says from now on. @param em a transaction in which it is locked, or new */
export async function writeContents(
  em: EntityManager,
  campaignId: string,
  { own, variants }: CampaignContents,
): Promise<void> {
  const said = [own, ...variants].flatMap((compiled, variant) => (compiled ? inLanguages(compiled, variant) : []))
  await sql(em, 'delete from campaign_contents where campaign_id = $1::uuid and variant >= $2::integer', [
    campaignId,
    own ? 0 : 1,
  ])
  await sql(
    em,
    `insert into campaign_contents (campaign_id, variant, locale, subject, html, text)
     select $1::uuid, * from unnest($2::smallint[], $3::text[], $4::text[], $5::text[], $6::text[])`,
    [
      campaignId,
      said.map(({ variant }) => variant),
      said.map(({ locale }) => locale),
      said.map(({ content }) => content.subject),
      said.map(({ content }) => content.html),
      said.map(({ content }) => content.text),
    ],
  )
}

/** Its own language is `''`. */
const inLanguages = ({ content, translations }: CompiledContents, variant: number) => [
  ...(content ? [{ variant, locale: '', content }] : []),
  ...Object.entries(translations).map(([locale, translated]) => ({ variant, locale, content: translated })),
]

/** How many characters a campaign says itself, in all languages. */
export async function lengthOfOwn(em: EntityManager, campaignId: string): Promise<number> {
  const [row] = await sql<{ characters: number }>(
    em,
    `select coalesce(sum(length(subject) + coalesce(length(html), 0) + coalesce(length(text), 0)), 0)::float8 as characters
     from campaign_contents where campaign_id = $1::uuid and variant = 0`,
    [campaignId],
  )
  return row!.characters
}

export interface Head {
  subject: string
  saysSomething: boolean
}

/** What is to be known of a campaign's variants without reading what they say, its own first, in their own language. */
export async function headsOf(em: EntityManager, campaignId: string): Promise<(Head | undefined)[]> {
  const rows = await sql<{ variant: number; subject: string; says: boolean }>(
    em,
    `select variant, subject, coalesce(html, text, '') <> '' as says from campaign_contents
     where campaign_id = $1::uuid and locale = '' order by variant`,
    [campaignId],
  )
  const heads: (Head | undefined)[] = []
  for (const { variant, subject, says } of rows) heads[variant] = { subject, saysSomething: says }
  return Array.from(heads)
}

/** What a campaign says whose template is deleted, compiled and in its own language; `undefined`: that is there, or it has none. */
export async function contentOfGone(em: EntityManager, campaignId: string): Promise<EmailContent | undefined> {
  const [row] = await sql<EmailContent>(
    em,
    `select content.subject, content.html, content.text
     from campaigns campaign
     join campaign_contents content on content.campaign_id = campaign.id and variant = 0 and locale = ''
     where campaign.id = $1::uuid and template_id is not null
       and not exists (select from templates where id = template_id)`,
    [campaignId],
  )
  return row
}

/** The same in all its languages. */
export async function contentsOfDeletedTemplates(
  em: EntityManager,
  campaignId: string,
): Promise<CompiledContents | undefined> {
  const content = await contentOfGone(em, campaignId)
  if (!content) return undefined
  const rows = await sql<EmailContent & { locale: string }>(
    em,
    `select locale, subject, html, text from campaign_contents
     where campaign_id = $1::uuid and variant = 0 and locale <> ''`,
    [campaignId],
  )
  return { content, translations: Object.fromEntries(rows.map(({ locale, ...translated }) => [locale, translated])) }
}

/** In which of a campaign's variants and languages somebody gets it: a language as `dueMessages` tells it. */
export interface Wanted {
  variant: number
  locale: string
}

const keyOf = ({ variant, locale }: Wanted): string => `${variant} ${locale}`

/** What a campaign says to those who are next, and nothing else of it: each once, by whatever names it is wanted. */
export async function contentsFor(
  em: EntityManager,
  campaignId: string,
  wanted: readonly Wanted[],
): Promise<(one: Wanted) => EmailContent> {
  const each = [...new Map(wanted.map((one) => [keyOf(one), one])).values()]
  const rows = await sql<{ wanted: Wanted[]; subject: string; html: string | null; text: string | null }>(
    em,
    CONTENTS,
    [campaignId, each.map(({ variant }) => variant), each.map(({ locale }) => locale)],
  )
  const contents = new Map(
    rows.flatMap(({ wanted: by, subject, html, text }) => {
      const content = { subject, html, text }
      return by.map((one) => [keyOf(one), content] as const)
    }),
  )
  return (one) => {
    const content = contents.get(keyOf(one))
    if (!content) throw new Error('A campaign that is sending says nothing')
    return content
  }
}

/** Of a language, else of the one that it is a kind of, else its own: the longest name is the nearest one. */
const CONTENTS = `
with found as (
  select distinct on (wanted.variant, wanted.locale) wanted.variant, wanted.locale, content.locale as said_in
  from unnest($2::smallint[], $3::text[]) as wanted(variant, locale)
  join campaign_contents content on content.campaign_id = $1::uuid and content.variant = wanted.variant
    and content.locale in (wanted.locale, split_part(wanted.locale, '-', 1), '')
  order by wanted.variant, wanted.locale, length(content.locale) desc
)
select jsonb_agg(jsonb_build_object('variant', found.variant, 'locale', found.locale)) as wanted,
  content.subject, content.html, content.text
from found
join campaign_contents content
  on content.campaign_id = $1::uuid and content.variant = found.variant and content.locale = found.said_in
group by content.campaign_id, content.variant, content.locale`
