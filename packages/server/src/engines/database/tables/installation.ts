/** The installation as a whole. */
export type InstallationTables = {
  /** Applied migrations. */
  migrations: { name: string; checksum: string; appliedAt: string }
  /** Facts of the whole installation: `id`, and `backup`, the state of backups as JSON. */
  installation: { name: string; value: string }
}
