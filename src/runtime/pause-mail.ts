import { Automation } from '../automations/index.ts'
import { Campaign } from '../campaigns/index.ts'
import { createOwnerMail, type InstanceMailDependencies, type SendNotice } from '../instance/index.ts'
import type { Delivery, Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { forTerminal } from '../platform/terminal.ts'
import { Workspace } from '../workspaces/index.ts'

/** Creates the function that tells owners that Dripline paused an automation or a campaign, unless a member resumed it. */
export const createPauseMail = ({
  publicUrl,
  ...dependencies
}: InstanceMailDependencies & { log: Log; publicUrl: string }): SendNotice =>
  createOwnerMail(dependencies, async (em, delivery) => {
    const paused = await findPaused(em, delivery)
    if (!paused) return undefined
    const workspace = await em.findOneOrFail(Workspace, paused.workspaceId)
    const url = `${publicUrl}/w/${paused.workspaceId}/${paused.kind}s/${paused.id}`
    return {
      workspaceMode: workspace.mode,
      event: `${paused.id}.${paused.revision}`,
      ...textsOf(paused, workspace.name, url),
    }
  })

interface Paused {
  id: string
  workspaceId: string
  kind: 'automation' | 'campaign'
  name: string
  reason: string
  revision: number
}

/** Reads an automation or a campaign that Dripline paused; `undefined` if it continues or is deleted. */
async function findPaused(em: EntityManager, { automationId, campaignId }: Delivery): Promise<Paused | undefined> {
  const [kind, found] = automationId
    ? (['automation', await em.findOne(Automation, { id: automationId, status: 'PAUSED' })] as const)
    : (['campaign', await em.findOne(Campaign, { id: campaignId!, status: 'PAUSED' })] as const)
  if (found?.pauseReason == null) return undefined
  const { id, workspaceId, name, pauseReason: reason, revision } = found
  return { id, workspaceId, kind, name, reason, revision }
}

/** A name in one line, without control characters. */
const inLine = (name: string): string => forTerminal(name).replaceAll('\n', ' ')

function textsOf(
  { kind, name, reason }: Paused,
  workspaceName: string,
  url: string,
): { subject: string; text: string } {
  const lines = [
    `Dripline paused the ${kind} ${inLine(name)} of the workspace ${inLine(workspaceName)}:`,
    '',
    `${reason}.`,
    '',
    `The ${kind} sends nothing until a member resumes it. Check its report and its contacts first:`,
    url,
    '',
    'You receive this email because you are an owner of the workspace.',
    '',
  ]
  return { subject: `Dripline paused the ${kind} ${inLine(name)}`, text: lines.join('\n') }
}
