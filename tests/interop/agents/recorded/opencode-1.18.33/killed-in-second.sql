BEGIN TRANSACTION;
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_2033a516f001HZMOKnebluzY2z','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350483311,1795350486886,'{"role":"user","time":{"created":1795350483311},"agent":"build","model":{"providerID":"fake","modelID":"claude-x"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_2033a579b001N74g80OxzvW473','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350484891,1795350486822,'{"parentID":"msg_2033a516f001HZMOKnebluzY2z","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795350484891,"completed":1795350486820},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_2033a5f2a001R5rMbQW6n3RiG7','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350486826,1795350486827,'{"parentID":"msg_2033a516f001HZMOKnebluzY2z","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795350486826}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_2033a5180001uLxYDw0r2zqCXw','msg_2033a516f001HZMOKnebluzY2z','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350484845,1795350484855,'{"type":"text","text":"\"Please say the words.\""}');
INSERT INTO "part" VALUES('prt_2033a5c630018LT7LE2oaONemS','msg_2033a579b001N74g80OxzvW473','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350486115,1795350486119,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_2033a5c71001QW1tWZaLWt2FlN','msg_2033a579b001N74g80OxzvW473','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350486133,1795350486227,'{"type":"reasoning","text":"I should look.","time":{"start":1795350486129,"end":1795350486225},"metadata":{"anthropic":{"signature":"c2lnbmVkIGJ5IHRoZSBmYWtlIHByb3ZpZGVy"}}}');
INSERT INTO "part" VALUES('prt_2033a5cd8001tCIeiv4eof294m','msg_2033a579b001N74g80OxzvW473','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350486232,1795350486239,'{"type":"text","text":"Now alpha.","time":{"start":1795350486232,"end":1795350486237}}');
INSERT INTO "part" VALUES('prt_2033a5ce1001qQ9Oc41ZdHiSDW','msg_2033a579b001N74g80OxzvW473','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350486241,1795350486800,'{"type":"tool","tool":"bash","callID":"call_alpha","state":{"status":"completed","input":{"command":"printf ''%s-%s\\n'' alpha real","description":"Run it"},"output":"alpha-real\n","metadata":{"output":"alpha-real\n","exit":0,"truncated":false},"title":"printf ''%s-%s\\n'' alpha real","time":{"start":1795350486261,"end":1795350486798}}}');
INSERT INTO "part" VALUES('prt_2033a5f14001JykNfH27aakQpy','msg_2033a579b001N74g80OxzvW473','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350486806,1795350486808,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_2033a5fbc001ukiLOam93PK1yZ','msg_2033a5f2a001R5rMbQW6n3RiG7','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350486972,1795350486977,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_2033a5fc3001H1zernKS5Faq60','msg_2033a5f2a001R5rMbQW6n3RiG7','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350486979,1795350486998,'{"type":"reasoning","text":"I should look.","time":{"start":1795350486979,"end":1795350486994},"metadata":{"anthropic":{"signature":"c2lnbmVkIGJ5IHRoZSBmYWtlIHByb3ZpZGVy"}}}');
INSERT INTO "part" VALUES('prt_2033a5fd8001lkayAldTHHtdqc','msg_2033a5f2a001R5rMbQW6n3RiG7','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350487001,1795350487007,'{"type":"text","text":"Now beta gamma.","time":{"start":1795350487000,"end":1795350487004}}');
INSERT INTO "part" VALUES('prt_2033a5fe0001GbaaXLWhuFhc6j','msg_2033a5f2a001R5rMbQW6n3RiG7','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350487008,1795350487112,'{"type":"tool","tool":"bash","callID":"call_beta","state":{"status":"completed","input":{"command":"printf ''%s-%s\\n'' beta real","description":"Run it"},"output":"beta-real\n","metadata":{"output":"beta-real\n","exit":0,"truncated":false},"title":"printf ''%s-%s\\n'' beta real","time":{"start":1795350487019,"end":1795350487111}}}');
INSERT INTO "part" VALUES('prt_2033a5ffa0010e5PC267wXVrx3','msg_2033a5f2a001R5rMbQW6n3RiG7','ses_dfcc5af55ffeFJqqH2xt9j6SVV',1795350487034,1795350487057,'{"type":"tool","tool":"bash","callID":"call_gamma","state":{"metadata":{"output":""},"status":"running","input":{"command":"touch started; sleep 100; printf ''%s-%s\\n'' gamma real","description":"Run it"},"time":{"start":1795350487047}}}');
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
INSERT INTO "session" VALUES('ses_dfcc5af55ffeFJqqH2xt9j6SVV','global',NULL,NULL,'swift-otter','/home/agent/project','home/agent/project','{"title": "A session", "isNewTopic": false}','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,20,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"claude-x","providerID":"fake","variant":"default"}',1795350483114,1795350486874,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
CREATE INDEX `part_session_idx` ON `part` (`session_id`);
CREATE INDEX `session_project_idx` ON `session` (`project_id`);
CREATE INDEX `session_workspace_idx` ON `session` (`workspace_id`);
CREATE INDEX `session_parent_idx` ON `session` (`parent_id`);
COMMIT;