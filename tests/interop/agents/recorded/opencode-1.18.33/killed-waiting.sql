BEGIN TRANSACTION;
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_2033a9c7f001fILiJsEKpQQoLM','ses_dfcc563f8ffebKy13fBIObJQVt',1795350502527,1795350506036,'{"role":"user","time":{"created":1795350502527},"agent":"build","model":{"providerID":"fake","modelID":"claude-x"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_2033aa11c001M2OX5YAcA2XiKW','ses_dfcc563f8ffebKy13fBIObJQVt',1795350503708,1795350505644,'{"parentID":"msg_2033a9c7f001fILiJsEKpQQoLM","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795350503708,"completed":1795350505643},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_2033aa8af001SDKDhuF0UEDAz1','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505647,1795350505986,'{"parentID":"msg_2033a9c7f001fILiJsEKpQQoLM","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795350505647,"completed":1795350505983},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_2033aaa07001fk3EDuBk059F4V','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505991,1795350505992,'{"parentID":"msg_2033a9c7f001fILiJsEKpQQoLM","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795350505991}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_2033a9c8d001VCZIO7cmDR8WqP','msg_2033a9c7f001fILiJsEKpQQoLM','ses_dfcc563f8ffebKy13fBIObJQVt',1795350503666,1795350503672,'{"type":"text","text":"\"Please say the words.\""}');
INSERT INTO "part" VALUES('prt_2033aa6a4001OfaIukGgTMU3BE','msg_2033aa11c001M2OX5YAcA2XiKW','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505133,1795350505135,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_2033aa6bd0011u67lOBIzAoCX7','msg_2033aa11c001M2OX5YAcA2XiKW','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505149,1795350505167,'{"type":"reasoning","text":"I should look.","time":{"start":1795350505149,"end":1795350505159},"metadata":{"anthropic":{"signature":"c2lnbmVkIGJ5IHRoZSBmYWtlIHByb3ZpZGVy"}}}');
INSERT INTO "part" VALUES('prt_2033aa6d5001qs0CHL8ZhaMxjm','msg_2033aa11c001M2OX5YAcA2XiKW','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505173,1795350505203,'{"type":"text","text":"Now alpha.","time":{"start":1795350505173,"end":1795350505190}}');
INSERT INTO "part" VALUES('prt_2033aa6fb001uObyolMG4myGYB','msg_2033aa11c001M2OX5YAcA2XiKW','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505211,1795350505631,'{"type":"tool","tool":"bash","callID":"call_alpha","state":{"status":"completed","input":{"command":"printf ''%s-%s\\n'' alpha real","description":"Run it"},"output":"alpha-real\n","metadata":{"output":"alpha-real\n","exit":0,"truncated":false},"title":"printf ''%s-%s\\n'' alpha real","time":{"start":1795350505268,"end":1795350505629}}}');
INSERT INTO "part" VALUES('prt_2033aa8a3001s3g0TuSvEeQ7M4','msg_2033aa11c001M2OX5YAcA2XiKW','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505635,1795350505636,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_2033aa936001U3Q1Azp1wBcLCk','msg_2033aa8af001SDKDhuF0UEDAz1','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505783,1795350505790,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_2033aa948001lnj5XOsI3NL6vB','msg_2033aa8af001SDKDhuF0UEDAz1','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505801,1795350505809,'{"type":"reasoning","text":"I should look.","time":{"start":1795350505800,"end":1795350505807},"metadata":{"anthropic":{"signature":"c2lnbmVkIGJ5IHRoZSBmYWtlIHByb3ZpZGVy"}}}');
INSERT INTO "part" VALUES('prt_2033aa954001vc0L8KUE2kE4Ai','msg_2033aa8af001SDKDhuF0UEDAz1','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505812,1795350505819,'{"type":"text","text":"Now beta gamma.","time":{"start":1795350505812,"end":1795350505816}}');
INSERT INTO "part" VALUES('prt_2033aa95e001vJFu1FSOK3cxPc','msg_2033aa8af001SDKDhuF0UEDAz1','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505822,1795350505945,'{"type":"tool","tool":"bash","callID":"call_beta","state":{"status":"completed","input":{"command":"printf ''%s-%s\\n'' beta real","description":"Run it"},"output":"beta-real\n","metadata":{"output":"beta-real\n","exit":0,"truncated":false},"title":"printf ''%s-%s\\n'' beta real","time":{"start":1795350505835,"end":1795350505943}}}');
INSERT INTO "part" VALUES('prt_2033aa97b001mu6whRHEFSMYXk','msg_2033aa8af001SDKDhuF0UEDAz1','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505852,1795350505965,'{"type":"tool","tool":"bash","callID":"call_gamma","state":{"status":"completed","input":{"command":"printf ''%s-%s\\n'' gamma real","description":"Run it"},"output":"gamma-real\n","metadata":{"output":"gamma-real\n","exit":0,"truncated":false},"title":"printf ''%s-%s\\n'' gamma real","time":{"start":1795350505873,"end":1795350505959}}}');
INSERT INTO "part" VALUES('prt_2033aa9ef001Vw0PcIabenkZVn','msg_2033aa8af001SDKDhuF0UEDAz1','ses_dfcc563f8ffebKy13fBIObJQVt',1795350505967,1795350505971,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_dfcc563f8ffebKy13fBIObJQVt','global',NULL,NULL,'curious-cabin','/home/agent/project','home/agent/project','{"title": "A session", "isNewTopic": false}','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,40,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"claude-x","providerID":"fake","variant":"default"}',1795350502408,1795350506027,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
CREATE INDEX `part_session_idx` ON `part` (`session_id`);
CREATE INDEX `session_project_idx` ON `session` (`project_id`);
CREATE INDEX `session_workspace_idx` ON `session` (`workspace_id`);
CREATE INDEX `session_parent_idx` ON `session` (`parent_id`);
COMMIT;