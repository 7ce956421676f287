import { useState } from 'react'
import { Button } from '@mantine/core'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ConfirmAction } from '../../components/ConfirmAction.tsx'
import type { Proposal } from './proposals.ts'

type Verb = 'approve' | 'reject'

/** Approves or rejects a proposal, after a confirmation. */
export function Decision({ proposal }: { proposal: Proposal }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [asked, setAsked] = useState<Verb>()
  const decide = async (verb: Verb) => {
    const params = { path: { id: proposal.id } }
    try {
      await (verb === 'approve'
        ? api.POST('/proposals/{id}/approve', { params })
        : api.POST('/proposals/{id}/reject', { params }))
    } finally {
      // Also after an error: another member may have decided.
      void invalidate()
    }
  }
  return (
    <div className="row" style={{ marginBottom: 16 }}>
      {/* Hidden, not removed: the focus returns to them. */}
      <Button
        variant="filled"
        display={asked || proposal.isOutdated ? 'none' : undefined}
        onClick={() => setAsked('approve')}
      >
        Approve…
      </Button>
      <Button display={asked ? 'none' : undefined} onClick={() => setAsked('reject')}>
        Reject…
      </Button>
      {asked === 'approve' && (
        <ConfirmAction
          key="approve"
          confirmLabel={proposal.kind === 'SEND_CAMPAIGN' ? 'Approve sending' : 'Approve publishing'}
          color="accent"
          description={consequenceOf(proposal)}
          action={() => decide('approve')}
          onDone={() => setAsked(undefined)}
        />
      )}
      {asked === 'reject' && (
        <ConfirmAction
          key="reject"
          confirmLabel="Reject proposal"
          description="Nothing is changed or sent. This can’t be undone."
          action={() => decide('reject')}
          onDone={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}

/** Sentences about the contacts who are in the automation, by the choice for them. */
const INSIDE: Record<string, string> = {
  KEEP: 'Contacts who are in the automation keep their steps.',
  MOVE: 'Contacts who are in the automation move to the new steps.',
  FINISH: 'Contacts who are in the automation leave it.',
}

function consequenceOf({ kind, content }: Proposal): string {
  if (kind === 'SEND_CAMPAIGN')
    return Object.keys(content).length === 0
      ? 'The campaign starts right away. Emails that were sent can’t be undone.'
      : 'The campaign is scheduled. You can unschedule it until it starts.'
  const inside = INSIDE[typeof content['inside'] === 'string' ? content['inside'] : 'KEEP'] ?? ''
  return content['status'] === 'ACTIVE'
    ? `The automation is active right away, and contacts enter it. ${inside}`
    : `The changes apply to contacts who enter from now on. ${inside}`
}
