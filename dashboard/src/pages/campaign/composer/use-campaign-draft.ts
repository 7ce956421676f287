import { useForm } from '@mantine/form'
import { useRef, useState } from 'react'
import { hasErrorCode, isOutcomeUnknown } from '../../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../../api/workspace.tsx'
import { fieldErrorsOf } from '../../../lib/field-errors.ts'
import { stableJson } from '../../../lib/stable-json.ts'
import { useAutosave } from '../../../primitives/use-autosave.ts'
import type { Campaign } from '../../campaigns/campaigns.ts'
import { type Fields, fieldsOf, patchOf, settingsOf } from './fields.ts'

/** A draft as the server has it. */
export interface LoadedCampaign {
  campaign: Campaign
  etag: string | null
}

/** Members may read campaigns, so the response to a write is whole, too. */
const toLoaded = ({ data, response }: { data: { data: Partial<Campaign> }; response: Response }): LoadedCampaign => ({
  campaign: data.data as Campaign,
  etag: response.headers.get('etag'),
})

const keyOf = (fields: Fields): string => stableJson(fields)

/** The draft of a campaign, which saves itself. Another person's change is never overwritten without a question. */
export function useCampaignDraft(from: LoadedCampaign) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useForm<Fields>({ initialValues: fieldsOf(from.campaign) })
  const fields = form.getValues()
  const loaded = useRef(from)
  const [savedKey, setSavedKey] = useState(() => keyOf(fields))
  /** How often another version took the place of this one. */
  const [taken, setTaken] = useState(0)
  /** A version that someone else saved in the meantime. */
  const [theirs, setTheirs] = useState<LoadedCampaign>()
  /** Content sent without a response. The server may have stored it. */
  const unanswered = useRef<string>(undefined)

  const patch = async (over: LoadedCampaign, given: Fields): Promise<LoadedCampaign> => {
    const { campaign, etag } = over
    const params = { path: { id: campaign.id }, header: etag === null ? {} : { 'If-Match': etag } }
    try {
      return toLoaded(await api.PATCH('/campaigns/{id}', { params, body: patchOf(given, campaign) }))
    } catch (error) {
      if (!hasErrorCode(error, 'invalid_template')) throw error
      // A variable that is half typed must not keep the audience from being saved.
      loaded.current = toLoaded(await api.PATCH('/campaigns/{id}', { params, body: settingsOf(given) }))
      throw error
    }
  }
  /** Saves over a version. If that is not the current one, saves over it only if it is what an earlier request of this page sent. */
  const saveOver = async (over: LoadedCampaign): Promise<void> => {
    const given = form.getValues()
    const sent = keyOf(given)
    setTheirs(undefined)
    try {
      loaded.current = await patch(over, given)
    } catch (error) {
      if (isOutcomeUnknown(error)) unanswered.current = sent
      form.setErrors(fieldErrorsOf(error))
      if (!hasErrorCode(error, 'revision_conflict')) throw error
      const params = { path: { id: over.campaign.id } }
      const current = toLoaded(await api.GET('/campaigns/{id}', { params }))
      if (unanswered.current === undefined || keyOf(fieldsOf(current.campaign)) !== unanswered.current) {
        setTheirs(current)
        throw error
      }
      loaded.current = await patch(current, given)
    }
    unanswered.current = undefined
    form.clearErrors()
    const saved = { ...given, takesNewest: false }
    if (given.takesNewest) form.setFieldValue('takesNewest', false)
    setSavedKey(given.takesNewest ? keyOf(saved) : sent)
    void invalidate('campaigns', 'page')
  }
  const take = (version: LoadedCampaign) => {
    setTaken((times) => times + 1)
    loaded.current = version
    const now = fieldsOf(version.campaign)
    form.setValues(now)
    form.clearErrors()
    setSavedKey(keyOf(now))
    setTheirs(undefined)
  }
  const save = useAutosave({ key: keyOf(fields), savedKey, save: () => saveOver(loaded.current) })
  return {
    form,
    fields,
    save,
    theirs,
    taken,
    loaded: () => loaded.current,
    /** Takes the other version. */
    takeTheirs: () => theirs && take(theirs),
    /** Takes what the server has. */
    async reload() {
      const params = { path: { id: loaded.current.campaign.id } }
      take(toLoaded(await api.GET('/campaigns/{id}', { params })))
    },
    /** Saves over the other version. */
    keepMine: async () => {
      if (!theirs) return
      loaded.current = theirs
      setTheirs(undefined)
      await save.flush()
    },
  }
}

export type CampaignDraft = ReturnType<typeof useCampaignDraft>
