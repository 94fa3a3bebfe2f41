/** Projects whose voice calls the operator has suspended. */
export type VoiceTables = {
  /** Projects whose voice calls the operator has suspended. */
  voice_projects: { projectId: string; suspendedAt: string }
}
