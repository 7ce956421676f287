import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { localeFallbacksSql } from '../platform/locale.ts'
import type { EmailContent } from '../rendering/index.ts'
import type { CompiledContents } from '../templates/index.ts'

/** The compiled content of a campaign: its own, and that of the variants of its A/B test. */
export interface CampaignContents {
  /** `undefined` if it stays unchanged. */
  own: CompiledContents | undefined
  variants: readonly CompiledContents[]
}

/** Replaces the content of a campaign. @param em a transaction in which the campaign is locked, or new */
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

/** Copies the content of a campaign to a new one. @param em a transaction in which the campaign is locked */
export async function copyContents(em: EntityManager, { from, to }: { from: string; to: string }): Promise<void> {
  await sql(
    em,
    `insert into campaign_contents (campaign_id, variant, locale, subject, html, text)
     select $2::uuid, variant, locale, subject, html, text from campaign_contents where campaign_id = $1::uuid`,
    [from, to],
  )
}

/** Rows for a variant in all its languages. Its default language is `''`. */
const inLanguages = ({ content, translations }: CompiledContents, variant: number) => [
  ...(content ? [{ variant, locale: '', content }] : []),
  ...Object.entries(translations).map(([locale, translated]) => ({ variant, locale, content: translated })),
]

/** Reads the compiled content of a campaign, in all variants and languages. Empty if the workspace has no such campaign. */
export const allContents = (
  em: EntityManager,
  workspaceId: string,
  campaignId: string,
): Promise<(EmailContent & ContentKey)[]> =>
  sql(
    em,
    `select variant, locale, subject, html, text from campaign_contents
     where campaign_id = (select id from campaigns where id = $1::uuid and workspace_id = $2::uuid)
     order by variant, locale`,
    [campaignId, workspaceId],
  )

/** Counts the characters of a campaign's own content, in all languages. */
export async function countOwnCharacters(em: EntityManager, campaignId: string): Promise<number> {
  const [row] = await sql<{ characters: number }>(
    em,
    `select coalesce(sum(length(subject) + coalesce(length(html), 0) + coalesce(length(text), 0)), 0)::float8 as characters
     from campaign_contents where campaign_id = $1::uuid and variant = 0`,
    [campaignId],
  )
  return row!.characters
}

export interface VariantSummary {
  subject: string
  saysSomething: boolean
}

/** Summarizes a campaign's variants in the default language without reading their bodies, the campaign's own content first. */
export async function listVariantSummaries(
  em: EntityManager,
  campaignId: string,
): Promise<(VariantSummary | undefined)[]> {
  const rows = await sql<{ variant: number; subject: string; says: boolean }>(
    em,
    `select variant, subject, coalesce(html, text, '') <> '' as says from campaign_contents
     where campaign_id = $1::uuid and locale = '' order by variant`,
    [campaignId],
  )
  const heads: (VariantSummary | undefined)[] = []
  for (const { variant, subject, says } of rows) heads[variant] = { subject, saysSomething: says }
  return Array.from(heads)
}

/**
 * Returns the compiled content, in the default language, of a campaign whose template was deleted; `undefined` if it has none or
 * the template still exists.
 */
export async function findContentOfDeletedTemplate(
  em: EntityManager,
  campaignId: string,
): Promise<EmailContent | undefined> {
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

/** Like `findContentOfDeletedTemplate`, in all languages. */
export async function contentsOfDeletedTemplates(
  em: EntityManager,
  campaignId: string,
): Promise<CompiledContents | undefined> {
  const content = await findContentOfDeletedTemplate(em, campaignId)
  if (!content) return undefined
  const rows = await sql<EmailContent & { locale: string }>(
    em,
    `select locale, subject, html, text from campaign_contents
     where campaign_id = $1::uuid and variant = 0 and locale <> ''`,
    [campaignId],
  )
  return { content, translations: Object.fromEntries(rows.map(({ locale, ...translated }) => [locale, translated])) }
}

/** A variant and a language in which a recipient gets the campaign. The language is as `dueMessages` returns it. */
export interface ContentKey {
  variant: number
  locale: string
}

const keyOf = ({ variant, locale }: ContentKey): string => `${variant} ${locale}`

/** Reads the content for the next recipients, each content once even if several languages share it. */
export async function contentsFor(
  em: EntityManager,
  campaignId: string,
  wanted: readonly ContentKey[],
): Promise<(one: ContentKey) => EmailContent> {
  const each = [...new Map(wanted.map((one) => [keyOf(one), one])).values()]
  const rows = await sql<{ wanted: ContentKey[]; subject: string; html: string | null; text: string | null }>(
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
    if (!content) throw new Error('A sending campaign has no content')
    return content
  }
}

/** Content by language: the locale itself, else a longer part of it, else the default. The longest matching tag wins. */
const CONTENTS = `
with found as (
  select distinct on (wanted.variant, wanted.locale) wanted.variant, wanted.locale, content.locale as said_in
  from unnest($2::smallint[], $3::text[]) as wanted(variant, locale)
  join campaign_contents content on content.campaign_id = $1::uuid and content.variant = wanted.variant
    and content.locale = any(${localeFallbacksSql('wanted.locale')} || array[''])
  order by wanted.variant, wanted.locale, length(content.locale) desc
)
select jsonb_agg(jsonb_build_object('variant', found.variant, 'locale', found.locale)) as wanted,
  content.subject, content.html, content.text
from found
join campaign_contents content
  on content.campaign_id = $1::uuid and content.variant = found.variant and content.locale = found.said_in
group by content.campaign_id, content.variant, content.locale`
