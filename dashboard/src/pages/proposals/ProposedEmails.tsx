import { Select } from '@mantine/core'
import { useState } from 'react'
import { EmailPreview } from '../../components/EmailPreview.tsx'
import { Section } from '../../layout/Page.tsx'
import { branchesOf } from '../builder/step-tree.ts'
import type { EmailStep, Step } from '../builder/steps.ts'
import { TemplatePreview } from '../template/TemplatePreview.tsx'

const emailsIn = (steps: readonly Step[]): EmailStep[] =>
  steps.flatMap((step) => [
    ...(step.type === 'EMAIL' ? [step] : []),
    ...branchesOf(step).flatMap(({ steps: inside }) => emailsIn(inside)),
  ])

/** Previews the emails of a proposal, one at a time. */
export function ProposedEmails({ steps }: { steps: readonly Step[] }) {
  const emails = emailsIn(steps)
  const [chosen, setChosen] = useState('0')
  const email = emails[Number(chosen)] ?? emails[0]
  if (!email) return null
  return (
    <Section title="Emails">
      {emails.length > 1 && (
        <Select
          label="Email"
          mb={12}
          value={chosen}
          allowDeselect={false}
          onChange={(value) => setChosen(value ?? '0')}
          data={emails.map(({ subject, name }, n) => ({
            value: String(n),
            label: `${n + 1}. ${name ?? (subject || 'Email')}`,
          }))}
        />
      )}
      <ProposedEmail key={chosen} email={email} />
    </Section>
  )
}

function ProposedEmail({ email }: { email: EmailStep }) {
  const { templateId, templateVersion, category, subject, previewText, html, text, design } = email
  if (templateId === null)
    return (
      <TemplatePreview
        category={category}
        content={{ format: design ? 'BLOCKS' : 'HTML', subject, previewText, html, text, ...(design && { design }) }}
      />
    )
  return (
    <EmailPreview
      category={category}
      of={[templateId, templateVersion]}
      preview={async (api, forWhom, signal) => {
        const params = { path: { id: templateId } }
        const version = templateVersion === null ? {} : { version: String(templateVersion) }
        return (await api.POST('/templates/{id}/preview', { params, body: { ...version, ...forWhom }, signal })).data
          .data
      }}
    />
  )
}
