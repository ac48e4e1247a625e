BEGIN TRANSACTION;
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_20de33b520010V2FBewMjtiGm3','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529325394,1795529335061,'{"role":"user","time":{"created":1795529325394},"agent":"build","model":{"providerID":"fake","modelID":"claude-x"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20de349d9001OK6gVSAfuyQBKN','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529329113,1795529334144,'{"parentID":"msg_20de33b520010V2FBewMjtiGm3","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795529329113,"completed":1795529334143},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_20de35da8001XjQI8rxqCZEYT0','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529334184,1795529334613,'{"parentID":"msg_20de33b520010V2FBewMjtiGm3","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795529334184,"completed":1795529334611},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_20de33b6f0012M9Y7D2tjRgA2w','msg_20de33b520010V2FBewMjtiGm3','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529328955,1795529328957,'{"type":"text","text":"\"Please say the words.\""}');
INSERT INTO "part" VALUES('prt_20de3564d001K3KvJd4FzoBfXI','msg_20de349d9001OK6gVSAfuyQBKN','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529332302,1795529332304,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_20de35663001shTuxklGc1Ko3q','msg_20de349d9001OK6gVSAfuyQBKN','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529332323,1795529332374,'{"type":"reasoning","text":"I should look.","time":{"start":1795529332323,"end":1795529332368},"metadata":{"anthropic":{"signature":"c2lnbmVkIGJ5IHRoZSBmYWtlIHByb3ZpZGVy"}}}');
INSERT INTO "part" VALUES('prt_20de35698001Pg83493diGEOiz','msg_20de349d9001OK6gVSAfuyQBKN','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529332376,1795529332442,'{"type":"text","text":"Now alpha.","time":{"start":1795529332376,"end":1795529332422}}');
INSERT INTO "part" VALUES('prt_20de356f5001qaR8FGdumzxDgW','msg_20de349d9001OK6gVSAfuyQBKN','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529332470,1795529334017,'{"type":"tool","tool":"bash","callID":"call_alpha","state":{"status":"completed","input":{"command":"printf ''%s-%s\\n'' alpha real","description":"Run it"},"output":"alpha-real\n","metadata":{"output":"alpha-real\n","exit":0,"truncated":false},"title":"printf ''%s-%s\\n'' alpha real","time":{"start":1795529332577,"end":1795529334013}}}');
INSERT INTO "part" VALUES('prt_20de35d20001bnD73DfLdAhciY','msg_20de349d9001OK6gVSAfuyQBKN','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529334048,1795529334076,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_20de35eda001acjIph0Vr9DWkC','msg_20de35da8001XjQI8rxqCZEYT0','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529334490,1795529334492,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_20de35eea001GQ7Ph75tqOfj2B','msg_20de35da8001XjQI8rxqCZEYT0','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529334506,1795529334545,'{"type":"text","text":"All said.","time":{"start":1795529334506,"end":1795529334532}}');
INSERT INTO "part" VALUES('prt_20de35f1f001Fu8Fgvi58WTE1b','msg_20de35da8001XjQI8rxqCZEYT0','ses_df21cc6bbffegd5KMdfjwt0uiE',1795529334559,1795529334572,'{"reason":"stop","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
CREATE TABLE `session` (
          `id` text PRIMARY KEY,
          `project_id` text NOT NULL,
          `workspace_id` text,
          `parent_id` text,
          `slug` text NOT NULL,
          `directory` text NOT NULL,
          `path` text,
          `title` text NOT NULL,
          `version` text NOT NULL,
          `share_url` text,
          `summary_additions` integer,
          `summary_deletions` integer,
          `summary_files` integer,
          `summary_diffs` text,
          `metadata` text,
          `cost` real DEFAULT 0 NOT NULL,
          `tokens_input` integer DEFAULT 0 NOT NULL,
          `tokens_output` integer DEFAULT 0 NOT NULL,
          `tokens_reasoning` integer DEFAULT 0 NOT NULL,
          `tokens_cache_read` integer DEFAULT 0 NOT NULL,
          `tokens_cache_write` integer DEFAULT 0 NOT NULL,
          `revert` text,
          `permission` text,
          `agent` text,
          `model` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_compacting` integer,
          `time_archived` integer,
          CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
        );
INSERT INTO "session" VALUES('ses_df21cc6bbffegd5KMdfjwt0uiE','global',NULL,NULL,'happy-harbor','/home/agent/project','home/agent/project','{"title": "A session", "isNewTopic": false}','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,40,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"claude-x","providerID":"fake","variant":"default"}',1795529324869,1795529334853,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
CREATE INDEX `part_session_idx` ON `part` (`session_id`);
CREATE INDEX `session_project_idx` ON `session` (`project_id`);
CREATE INDEX `session_workspace_idx` ON `session` (`workspace_id`);
CREATE INDEX `session_parent_idx` ON `session` (`parent_id`);
COMMIT;