package main

import (
	"context"
	"fmt"
	"sync"
)

const longestJobName = 63

// taskResource is where a line has the template of its tasks: the variable that names the object, and the kind's plural.
var taskResource = map[string][2]string{
	"legacy":  {"SCALR_AGENT_KUBERNETES_JOB_TEMPLATE", "atasks"},
	"current": {"SCALR_AGENT_KUBERNETES_TASK_TEMPLATE", "agenttasktemplates"},
}

// controlJobs is the controller of agent-job: it makes a Job for each task and watches it. It leaves Jobs alone when it is stopped.
func controlJobs(scalr *Scalr, stopped context.Context) {
	cluster := newCluster()
	var jobs sync.WaitGroup
	takeTasks(scalr, stopped, func(task *Task) {
		if own := at("controller", task.Steps); len(own) > 0 {
			report := scalr.reporter(task)
			process := startTask(own, report)
			process.wait()
			report(Event{Event: "run ended", Result: process.end})
			return
		}
		job, err := startJob(cluster, task)
		if err != nil {
			scalr.report(Event{Run: task.Run, Event: "no job", Result: err.Error()})
			return
		}
		scalr.report(Event{Run: task.Run, Event: "job", Result: job})
		jobs.Go(func() {
			scalr.report(Event{Run: task.Run, Event: "job ended", Result: cluster.endOf(jobsPath(cluster)+"/"+job, jobEnd)})
		})
	})
	how := howToStop()
	scalr.report(Event{Event: "stopping", Result: how.action})
	done := make(chan struct{})
	go func() { jobs.Wait(); close(done) }()
	within(done, how.drain)
}

// startJob makes the Job of a task out of the template, as it is then.
func startJob(cluster *Cluster, task *Task) (string, error) {
	resource := taskResource[generation()]
	template, err := cluster.get(fmt.Sprintf("/apis/scalr.io/v1/namespaces/%s/%s/%s", cluster.namespace, resource[1], required(resource[0])))
	if err != nil {
		return "", err
	}
	metadata, _ := field(template, "spec", "jobTemplate", "metadata").(object)
	if metadata == nil {
		metadata = object{}
	}
	metadata["name"] = jobName(field(template, "spec", "basename"), task)
	job, err := cluster.create(jobsPath(cluster), object{
		"apiVersion": "batch/v1",
		"kind":       "Job",
		"metadata":   metadata,
		"spec":       field(template, "spec", "jobTemplate", "spec"),
	})
	if err != nil {
		return "", err
	}
	return field(job, "metadata", "name").(string), nil
}

func jobName(basename any, task *Task) string {
	if basename == nil {
		basename = "atask"
	}
	name := fmt.Sprintf("%s-%s-%s", basename, task.Run, task.Stage)
	if len(name) > longestJobName {
		name = task.Run + "-" + task.Stage
	}
	return name
}

func jobsPath(cluster *Cluster) string {
	return fmt.Sprintf("/apis/batch/v1/namespaces/%s/jobs", cluster.namespace)
}

// jobEnd is how a Job has ended, and why, or nothing.
func jobEnd(job object) string {
	conditions, _ := field(job, "status", "conditions").([]any)
	for _, condition := range conditions {
		kind, status := field(condition.(object), "type"), field(condition.(object), "status")
		if (kind == "Complete" || kind == "Failed") && status == "True" {
			return fmt.Sprintf("%v %v", kind, field(condition.(object), "reason"))
		}
	}
	return ""
}
